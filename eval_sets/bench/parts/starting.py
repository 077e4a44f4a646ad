"""The first lookup of a new process beside the imports that any such lookup needs."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eval_sets.bench.child import BenchFailed
from eval_sets.bench.types import Plan, Tell, ratios, summarise

IMPORTS = "import llama_index.vector_stores.chroma, onnxruntime"
_QUERY = "How does a locked-out workspace owner get back in?"


def measure_start(plan: Plan, folder: Path, tell: Tell) -> dict[str, Any]:
    """Seconds of `lookup-knowledge query` on the bundled notes, which are indexed before, and of
    the bare imports; the two alternate, each in a new process."""
    tell("cold: the bundled notes are indexed first")
    environment = {**os.environ, "XDG_DATA_HOME": str(folder)}
    command = [sys.executable, "-m", "retrieval.cli"]
    (folder / "empty").mkdir()  # no knowledge.toml of the caller's folder

    def seconds(arguments: Sequence[str]) -> float:
        started = time.perf_counter()
        done = subprocess.run(
            arguments,
            env=environment,
            cwd=folder / "empty",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise BenchFailed(
                f"'{' '.join(arguments[-2:])}' failed: {done.stderr.strip()[-300:]}",
                next_action="Run it alone to see why.",
            )
        return time.perf_counter() - started

    seconds([*command, "index"])
    lookups: list[float] = []
    imports: list[float] = []
    for repetition in range(-1, plan.repeat):  # the first round fills the system's file cache
        tell(f"cold, {repetition + 1} of {plan.repeat}")
        pair = (seconds([*command, "query", _QUERY]), seconds([sys.executable, "-c", IMPORTS]))
        if repetition >= 0:
            lookups.append(pair[0])
            imports.append(pair[1])
    return {
        "lookup_seconds": summarise(lookups),
        "import_seconds": summarise(imports),
        "ratios": {"first_lookup": ratios(lookups, imports)},
    }
