"""A measurement in a process of its own: `python -m eval_sets.bench.child TASK GIVEN FOUND`.

GIVEN is a JSON file with the task's arguments, FOUND the one that its result goes to, with the
peak memory of the process. Nothing that ran before has warmed anything up.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from retrieval.errors import RetrievalError

TASKS = {
    "index": "eval_sets.bench.tasks.indexing:index",
    "embed": "eval_sets.bench.tasks.indexing:embed",
    "rank": "eval_sets.bench.tasks.ranking:rank",
    "reindex": "eval_sets.bench.tasks.reindexing:reindex",
    "look-up": "eval_sets.bench.tasks.looking_up:look_up",
    "match": "eval_sets.bench.tasks.matching:match",
    "build": "eval_sets.bench.tasks.scaling:build",
    "ask": "eval_sets.bench.tasks.scaling:ask",
}
_SHOWN = 300


class BenchFailed(RetrievalError):
    """A measurement did not come to its end."""

    code = "bench_failed"


def measure_apart(task: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """What the task finds in a new process, and `peak_mib`, the most memory that this had.

    Raises `BenchFailed` with the process's last line when it fails.
    """
    with TemporaryDirectory(prefix="lookup-bench-") as name:
        asked, found = Path(name) / "given.json", Path(name) / "found.json"
        asked.write_text(json.dumps(given), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", __name__, task, str(asked), str(found)],
            env={**os.environ, "ANONYMIZED_TELEMETRY": "False"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        if done.returncode:
            lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
            raise BenchFailed(
                f"The measurement '{task}' failed: {lines[-1][:_SHOWN]}",
                next_action="Run it again alone; a killed process may have lacked memory.",
            )
        result: dict[str, Any] = json.loads(found.read_text(encoding="utf-8"))
        return result


def main() -> None:
    """Does the task that the command line names."""
    parser = argparse.ArgumentParser(prog=f"python -m {__spec__.name}")
    parser.add_argument("task", choices=TASKS)
    parser.add_argument("given", type=Path)
    parser.add_argument("found", type=Path)
    asked = parser.parse_args()
    module, _, function = TASKS[asked.task].partition(":")
    given = json.loads(asked.given.read_text(encoding="utf-8"))
    found = getattr(import_module(module), function)(**given)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts KiB, macOS bytes.
    found["peak_mib"] = round(peak / (2**20 if sys.platform == "darwin" else 2**10), 1)
    asked.found.write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
