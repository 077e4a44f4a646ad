"""Lookups a second and their times with 1, 4 and 16 callers at once, on 10,000 passages.

The real model embeds the queries. Of the corpus it embeds only a sample: the vectors of the other
passages are drawn at random around those, so that building the corpus does not take half an hour;
how many and how they lie is what an approximate search and its filter depend on.
"""

import random
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from retrieval import KnowledgeBase, lookup_knowledge
from retrieval.semantic.embedding import Embedder, open_embedder
from retrieval.settings import load_settings
from tests.services.chroma import running_chroma
from tests.soak.corpus import write_corpus

PASSAGES = 10_000
SAMPLE = 200
CALLERS = (1, 4, 16)


class SampledEmbedder(Embedder):
    """The real model for queries; passages lie around a sample that it embedded."""

    def __init__(self, embedder: Embedder, sample: int, seed: int = 3) -> None:
        super().__init__(embedder.spec, measure=embedder.measure, load=lambda: embedder.model)
        self._real = embedder
        self._sample = sample
        self._chance = np.random.default_rng(seed)
        self._centres: NDArray[np.float32] | None = None

    def embed_passages(
        self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None
    ) -> NDArray[np.float32]:
        if self._centres is None:
            self._centres = self._real.embed_passages(list(texts)[: self._sample], progress)
        chosen = self._centres[self._chance.integers(0, len(self._centres), len(texts))]
        noise = self._chance.standard_normal(chosen.shape) * 0.5 / chosen.shape[1] ** 0.5
        vectors = (chosen + noise).astype(np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


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
    embedder = SampledEmbedder(open_embedder(settings.embedding), SAMPLE)
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
