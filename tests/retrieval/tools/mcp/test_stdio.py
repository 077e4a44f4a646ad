"""The real command over stdio, with the SDK's client and with bare lines."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from tests.retrieval.tools.mcp.serving import COMMAND, environment

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "bare", "version": "0"},
    },
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Notes that are hard to send: scripts, halves of pairs, controls; without an index."""
    root = tmp_path_factory.mktemp("hard")
    (root / "refund.md").write_text(
        "---\ntitle: 退款期限\n---\n三十天内可以退款。\n", encoding="utf-8"
    )
    half = '---\ntitle: "Half \\ud83d pair"\n---\nNo text.\n'
    (root / "half.md").write_text(half, encoding="utf-8")
    (root / "bell.md").write_text("# Bell tower\n\nIt \x07rings\x1b[31m.\n", encoding="utf-8")
    return root


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_text_is_utf8_whatever_the_locale(folder: Path, mode: str) -> None:
    async def main() -> None:
        server = StdioServerParameters(
            command=COMMAND[0],
            args=[*COMMAND[1:], "--kb", str(folder)],
            env=environment(LC_ALL="C", PYTHONIOENCODING="latin-1", PYTHONUTF8="0"),
        )
        async with Client(server, mode=mode) as client:
            result = await client.call_tool("lookup_knowledge", {"query": "退款期限"})
            assert result.structured_content["query"] == "退款期限"
            assert "三十天内可以退款" in result.structured_content["primary"]["content"]
            assert "notes_unreadable" in [w["code"] for w in result.structured_content["warnings"]]
            bell = await client.call_tool("lookup_knowledge", {"query": "bell tower"})
            assert bell.structured_content["primary"]["content"].endswith("It rings[31m.")
            resources = (await client.list_resources()).resources
            for resource in resources:
                assert (await client.read_resource(resource.uri)).contents
            calls = [client.call_tool("lookup_knowledge", {"query": "退款期限"}) for _ in range(6)]
            assert len({r.content[0].text[:40] for r in await asyncio.gather(*calls)}) == 1

    asyncio.run(main())


@pytest.fixture
def process(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    running = subprocess.Popen(
        [*COMMAND, "--kb", str(folder)],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    yield running
    running.kill()
    running.communicate()


def _ask(process: subprocess.Popen[bytes], message: dict[str, Any]) -> dict[str, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(process: subprocess.Popen[bytes], number: int) -> None:
    assert _ask(process, HELLO)["result"]["serverInfo"]["name"] == "knowledge-lookup"
    process.send_signal(number)
    said = process.communicate(timeout=30)
    assert (process.returncode, b"Traceback" in said[1]) == (0, False), said


def test_it_ends_when_the_client_closes_stdin(process: subprocess.Popen[bytes]) -> None:
    _ask(process, HELLO)
    _, said = process.communicate(timeout=30)
    assert (process.returncode, b"Traceback" in said) == (0, False), said


def test_it_ends_when_the_client_is_gone(process: subprocess.Popen[bytes]) -> None:
    _ask(process, HELLO)
    assert process.stdout is not None
    assert process.stdin is not None
    process.stdout.close()
    process.stdin.write(b'{"jsonrpc": "2.0", "id": 2, "method": "ping"}\n')
    process.stdin.flush()
    assert process.wait(timeout=30) == 0


def test_a_line_that_is_no_message_does_not_end_it(process: subprocess.Popen[bytes]) -> None:
    _ask(process, HELLO)
    assert process.stdin is not None
    process.stdin.write(b'no json\n\xff\xfe\n{"half": "\\ud800"}\n')
    assert _ask(process, {"jsonrpc": "2.0", "id": 5, "method": "ping"})["id"] == 5


PRINTING = """
import os, subprocess
from retrieval.tools.mcp.stdio import stdout_kept_clean
with stdout_kept_clean() as wire:
    print("from Python", flush=True)
    os.write(1, b"from C\\n")
    subprocess.run(["echo", "from a child"], check=True)
    os.write(wire, b"protocol\\n")
"""


def test_what_is_printed_goes_to_stderr_also_from_a_child() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRINTING],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "protocol\n"
    assert done.stderr.splitlines() == ["from Python", "from C", "from a child"]


def test_an_error_before_serving_is_told_on_stderr(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "--kb", str(tmp_path / "absent")],
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "absent" in done.stderr
