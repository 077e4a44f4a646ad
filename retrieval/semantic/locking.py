"""The right to write the index: one process and thread has it at a time."""

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import filelock

from retrieval.errors import IndexLocked, IndexUnavailable
from retrieval.semantic.generations import index_folder


@contextmanager
def writer_lock(state_dir: Path, *, wait_seconds: float = 0.0) -> Iterator[None]:
    """The right to write the index, for one process and thread at a time.

    Raises `IndexLocked`, which names the holder, when it is not free within `wait_seconds`, and
    `IndexUnavailable` when the state folder cannot be written.
    """
    folder = index_folder(state_dir)
    holder = folder / "writer.json"
    lock = filelock.FileLock(folder / "writer.lock", timeout=wait_seconds)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
        since = datetime.now(UTC).isoformat(timespec="seconds")
        mark = {"pid": os.getpid(), "host": socket.gethostname(), "since": since}
        holder.write_text(json.dumps(mark), encoding="utf-8")
    except filelock.Timeout:
        raise IndexLocked(
            f"Another process is writing this index: {_describe(holder)}.",
            next_action="Wait until it has finished, then try again.",
        ) from None
    except OSError as error:
        lock.release()
        raise IndexUnavailable(
            f"The state folder {state_dir} cannot be written: {error.strerror}.",
            next_action="Set `state_dir` to a folder that you may write to.",
        ) from error
    try:
        yield
    finally:
        with suppress(OSError):
            holder.unlink()
        lock.release()


def _describe(holder: Path) -> str:
    try:
        mark = json.loads(holder.read_bytes())
        return f"process {mark['pid']} on {mark['host']}, since {mark['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "it did not say which"
