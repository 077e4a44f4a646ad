"""What another process does with a knowledge base: `python -m tests.processes.worker TASK KB …`.

Each task prints one JSON value a line as it goes on.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

from retrieval import KnowledgeBase, LookupResult, lookup_knowledge


def say(value: Any) -> None:
    print(json.dumps(value), flush=True)  # noqa: T201 - how it tells its parent


def summarise(result: LookupResult) -> dict[str, Any]:
    return {
        "outcome": result.outcome,
        "l1": result.l1.status,
        "error": result.l1.error.code if result.l1.error else None,
        "sources": [block.source for block in result.evidence_blocks],
        "contents": [block.content for block in result.evidence_blocks],
        "warnings": [warning.code for warning in result.warnings],
        "index": result.fingerprint.index,
    }


def serve(kb: KnowledgeBase) -> None:
    """Answers each line of stdin, a JSON object with the arguments of `lookup`."""
    say("ready")
    for line in sys.stdin:
        say(summarise(kb.lookup(**json.loads(line))))


def watch(kb: KnowledgeBase, query: str) -> None:
    """Looks up the same query again and again until stdin is closed, and tells every answer."""
    import threading

    closed = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), closed.set()), daemon=True).start()
    while not closed.is_set():
        say(summarise(kb.lookup(query)))


def record(kb: KnowledgeBase, number: str, *queries: str) -> None:
    """Looks up and records; tells the id of each record once it is said to be stored."""
    for n in range(int(number)):
        result = lookup_knowledge(queries[n % len(queries)], kb=kb)
        lost = [w.code for w in result.warnings if w.code.startswith("record_")]
        complete = result.outcome == "evidence" and bool(result.evidence_blocks)
        say({"id": result.invocation_id, "complete": complete, "lost": lost})


def index(kb: KnowledgeBase, pause: str = "0") -> None:
    """Brings the index up to date; sleeps for `pause` seconds with each step of the progress."""

    def show(stage: str, done: int, total: int) -> None:
        say([stage, done, total])
        time.sleep(float(pause))

    report = kb.reindex(progress=show)
    say({"embedded": report.embedded, "resumed": report.resumed, "passages": report.passages})


def main(task: str, path: str, *arguments: str) -> None:
    tasks = {"serve": serve, "watch": watch, "record": record, "index": index}
    with KnowledgeBase.open(Path(path)) as kb:
        tasks[task](kb, *arguments)


if __name__ == "__main__":
    main(*sys.argv[1:])
