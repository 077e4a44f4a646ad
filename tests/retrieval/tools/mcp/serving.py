"""The real command as a server process."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[4]
COMMAND = [sys.executable, "-m", "retrieval.cli", "mcp"]


def environment(**changes: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "LOOKUP_EMBEDDING__MODEL": "hash:64", **changes}


@contextmanager
def serving_http(
    *arguments: str, env: Mapping[str, str] | None = None
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server on a free port, and its address."""
    process = subprocess.Popen(
        [*COMMAND, "--http", "--port", "0", *arguments],
        env=environment(**(env or {})),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        said = ""
        while not (found := re.search(r"http://\S+/mcp", said)):
            line = process.stderr.readline()
            assert line, said
            said += line
        yield process, found[0]
    finally:
        process.kill()
        process.communicate()
