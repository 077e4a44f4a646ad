"""MCP over stdin and stdout, where stdout carries the protocol and nothing else."""

import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import Any

import anyio
from anyio import from_thread
from mcp.server import Server
from mcp.server.stdio import stdio_server

CHUNK = 1 << 16


@contextmanager
def stdout_kept_clean() -> Iterator[int]:
    """Inside, file descriptor 1 is stderr; the one yielded is the real stdout.

    So what any library prints, a child process included, does not reach the client. Enter it
    before anything heavy is imported.
    """
    sys.stdout.flush()
    wire = os.dup(1)
    os.dup2(2, 1)
    try:
        yield wire
    finally:
        sys.stdout.flush()
        os.dup2(wire, 1)
        os.close(wire)


async def serve_stdio(server: Server[Any], wire: int) -> None:
    """Serves one client until it closes stdin, goes away, or SIGTERM or SIGINT comes."""
    # Not closed here: what a client that has gone did not take would be an error then.
    raw = os.fdopen(wire, "wb", buffering=0, closefd=False)
    out = anyio.wrap_file(TextIOWrapper(raw, encoding="utf-8", newline="\n", write_through=True))
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(_stop_on_signal, group.cancel_scope)
            lines: Any = _Lines(0)
            async with stdio_server(stdin=lines, stdout=out) as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())
            group.cancel_scope.cancel()
    except* BrokenPipeError:  # the client has gone: nobody is left to be told
        pass


async def _stop_on_signal(scope: anyio.CancelScope) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            scope.cancel()
            return


class _Lines:
    """Lines of a file descriptor as UTF-8.

    Read in a daemon thread: a read that waits for the client cannot be cancelled, and would keep
    the server alive after a signal.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    async def __aiter__(self) -> AsyncIterator[str]:
        send, receive = anyio.create_memory_object_stream[str](16)
        token = anyio.lowlevel.current_token()

        def read() -> None:
            pending = b""
            try:
                while chunk := os.read(self._descriptor, CHUNK):
                    *whole, pending = (pending + chunk).split(b"\n")
                    for line in whole:
                        text = line.decode("utf-8", "replace")
                        from_thread.run(send.send, text, token=token)
                from_thread.run_sync(send.close, token=token)
            except (anyio.BrokenResourceError, RuntimeError, OSError):
                return  # the server has stopped

        threading.Thread(target=read, name="mcp-stdin", daemon=True).start()
        async with receive:
            async for line in receive:
                yield line
