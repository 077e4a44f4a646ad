"""`python -m tests.soak [PART …]`: runs the parts and writes what they found.

    load      lookups a second with 1, 4 and 16 callers, embedded and with a Chroma server
    records   10,000 recorded lookups from 4 processes while the index is written
    kills     50 index runs and 10 recording processes killed at random moments
    files     20,000 generated notes, clean, dirty and broken
    folder    50,000 small notes in 1,000 folders with loops of links

Each part replaces its own entry in the file. A part that finds a fault ends the run with an error,
and its entry stays as it was. To add one, write a function that takes a folder and give it a name
in `PARTS`.
"""

import argparse
import json
import os
import platform
import random
import time
from collections.abc import Callable
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from retrieval import KnowledgeBase
from retrieval.atomic import write_atomic
from tests.processes.running import (
    PAUSE,
    change_notes,
    kill_index_run,
    kill_recording,
    make_knowledge,
    running,
)
from tests.soak.files import read_files, read_folder
from tests.soak.load import PASSAGES, measure_load

RESULT = Path(__file__).parents[2] / "eval_sets" / "results" / "soak.json"
PACKAGES = ("chromadb", "llama-index-core", "onnxruntime", "bm25s", "numpy", "SQLAlchemy")


def load(folder: Path) -> dict[str, Any]:
    return measure_load(folder, passages=PASSAGES, lookups=400)


def records(folder: Path, *, total: int = 10_000, processes: int = 4) -> dict[str, Any]:
    """Every lookup that was answered has its row, and every answer was complete."""
    kb = make_knowledge(folder / "kb")
    queries = ("guest network", "lost badge", "refund in thirty days")
    with KnowledgeBase.open(kb) as base, ExitStack() as stack:
        base.reindex()
        share = str(total // processes)
        started = time.perf_counter()
        writers = [
            stack.enter_context(running("record", kb, share, *queries)) for _ in range(processes)
        ]
        reindexed = 0
        told: list[Any] = [[] for _ in writers]
        while any(len(one) < int(share) for one in told):
            (kb / "notes" / "changing.md").write_text(f"# Changing\n\nText {reindexed}.\n")
            base.reindex()
            reindexed += 1
            for one, writer in zip(told, writers, strict=True):
                one += [writer.tell() for _ in range(min(50, int(share) - len(one)))]
        seconds = time.perf_counter() - started
        for writer in writers:
            writer.finish()
        answers = [answer for one in told for answer in one]
        stored = {row.id for row in base.records().list(limit=None)}
    incomplete = sum(not answer["complete"] for answer in answers)
    missing = len({answer["id"] for answer in answers} - stored)
    if incomplete or missing or len(stored) != total:
        raise AssertionError(f"{incomplete} incomplete, {missing} missing, {len(stored)} stored")
    return {
        "lookups": len(answers),
        "processes": processes,
        "rows": len(stored),
        "incomplete": incomplete,
        "index_runs_meanwhile": reindexed,
        "lookups_per_second": round(len(answers) / seconds, 1),
    }


def kills(folder: Path, *, index_runs: int = 50, recordings: int = 10) -> dict[str, Any]:
    """Whatever the moment, the index stays usable and no stored record is lost."""
    seed = int(time.time())
    chance = random.Random(seed)
    kb = make_knowledge(folder / "kb")
    with KnowledgeBase.open(kb) as base:
        base.reindex()
    # So long that some runs are over before they are killed, on a machine of any speed.
    change_notes(kb, chance)
    with running("index", kb, PAUSE) as process:
        process.tell()
        started = time.monotonic()
        process.finish()
        longest = time.monotonic() - started
    killed = [kill_index_run(kb, chance, longest=longest) for _ in range(index_runs)]
    stored = sum(kill_recording(kb, chance, longest=1.0) for _ in range(recordings))
    return {
        "seed": seed,
        "index_runs": index_runs,
        "finished_before_the_kill": sum(one.finished for one in killed),
        "resumed_an_embedding": sum(one.resumed > 0 for one in killed),
        "recordings": recordings,
        "records_checked": stored,
        "lost": 0,
    }


def files(folder: Path, *, count: int = 20_000) -> dict[str, Any]:
    """Every note loads or gives a row."""
    return read_files(folder, count)


def folder(folder: Path, *, count: int = 50_000) -> dict[str, Any]:
    """Each note is read once."""
    return read_folder(folder, count)


PARTS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "load": load,
    "records": records,
    "kills": kills,
    "files": files,
    "folder": folder,
}


def describe_machine() -> dict[str, Any]:
    """What the figures depend on; not which machine it is."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(pages / 2**30, 1),
        "system": platform.system(),
        "processor": platform.machine(),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in PACKAGES},
        "load_average_at_start": [round(value, 1) for value in os.getloadavg()],
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.soak",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of: {', '.join(PARTS)}")
    parser.add_argument("--out", type=Path, default=RESULT)
    parser.add_argument("--note", help="what to know about the machine, such as that it was shared")
    given = parser.parse_args()
    if unknown := set(given.parts) - PARTS.keys():
        parser.error(f"unknown part {sorted(unknown)[0]}; choose from: {', '.join(PARTS)}")
    results = json.loads(given.out.read_text(encoding="utf-8")) if given.out.is_file() else {}
    for name in given.parts or PARTS:
        machine = describe_machine() | ({"note": given.note} if given.note else {})
        started = time.perf_counter()
        with TemporaryDirectory(prefix="lookup-soak-") as folder:
            found = PARTS[name](Path(folder))
        seconds = round(time.perf_counter() - started)
        results[name] = {"found": found, "seconds": seconds, "machine": machine}
        write_atomic(given.out, json.dumps(results, indent=2) + "\n")
        print(f"{name}: {json.dumps(found)} in {seconds} s")  # noqa: T201 - a command's output


if __name__ == "__main__":
    main()
