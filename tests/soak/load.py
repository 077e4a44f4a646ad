"""Lookups a second and their times with 1, 4 and 16 callers at once, on 10,000 passages.

The real model embeds the queries. Of the corpus it embeds only a sample: the vectors of the other
passages are drawn at random around those, so that building the corpus does not take half an hour;
how many and how they lie is what an approximate search and its filter depend on.
"""

import random
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from eval_sets.bench.synthetic import write_corpus
from eval_sets.bench.vectors import SAMPLE, SampledEmbedder
from retrieval import KnowledgeBase, lookup_knowledge
from retrieval.semantic.embedding import open_embedder
from retrieval.settings import load_settings
from tests.services.chroma import running_chroma

PASSAGES = 10_000
CALLERS = (1, 4, 16)


def measure_load(folder: Path, *, passages: int, lookups: int) -> dict[str, Any]:
    """Figures for an index in the state folder and for one on a Chroma server."""
    root = folder / "notes"
    queries = write_corpus(root, passages)
    found: dict[str, Any] = {
        "passages": passages,
        "embedded_by_the_model": min(SAMPLE, passages),
        "lookups_at_each_step": lookups,
    }
    found["embedded"] = _measure(root, folder / "own", {}, queries, lookups)
    with running_chroma(folder / "server") as server:
        chroma = {"url": server.url, "collection": "soak-load"}
        found["server"] = _measure(root, folder / "host", chroma, queries, lookups)
    return found


def _measure(
    root: Path, state: Path, chroma: dict[str, Any], queries: Sequence[str], lookups: int
) -> dict[str, Any]:
    settings, location = load_settings(root, {"state_dir": str(state), "chroma": chroma})
    embedder = SampledEmbedder(open_embedder(settings.embedding))
    with KnowledgeBase(settings, location, embedder=embedder) as kb:
        report = kb.reindex()
        if report.failed:
            raise AssertionError(f"{report.failed} notes could not be read.")
        kb.lookup(queries[0])  # loads the index and the model
        callers = {str(number): _ask(kb, queries, number, lookups) for number in CALLERS}
    return {
        "passages": report.passages,
        "index_seconds": round(report.seconds, 1),
        "callers": callers,
    }


def _ask(kb: KnowledgeBase, queries: Sequence[str], callers: int, lookups: int) -> dict[str, Any]:
    """Recorded lookups by so many threads of one process; every answer is checked."""
    chance = random.Random(callers)
    todo = [chance.choice(queries) for _ in range(lookups)]
    times: list[float] = []
    wrong: list[str] = []
    lock = threading.Lock()

    def call() -> None:
        while True:
            with lock:
                if not todo:
                    return
                query = todo.pop()
            started = time.perf_counter()
            result = lookup_knowledge(query, kb=kb)
            took = time.perf_counter() - started
            with lock:
                times.append(took)
                if result.outcome != "evidence" or result.warnings:
                    wrong.append(f"{result.outcome} {result.l1.status} {result.warnings}")

    started = time.perf_counter()
    threads = [threading.Thread(target=call) for _ in range(callers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - started
    p50, p95 = np.percentile(np.array(times) * 1000, [50, 95])
    return {
        "lookups_per_second": round(lookups / seconds, 1),
        "p50_ms": round(float(p50), 1),
        "p95_ms": round(float(p95), 1),
        "incomplete": len(wrong),
        "first_incomplete": wrong[0] if wrong else None,
    }
