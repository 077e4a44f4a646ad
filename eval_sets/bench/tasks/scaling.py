"""An index of many passages with synthetic vectors is built by one process and asked by another."""

import time
from pathlib import Path
from statistics import median
from typing import Any

from eval_sets.bench.synthetic import sentences, write_corpus
from eval_sets.bench.vectors import SAMPLE, SampledEmbedder
from retrieval.knowledge_base import KnowledgeBase
from retrieval.semantic.embedding import open_embedder
from retrieval.settings import load_settings
from retrieval.tools.lookup import lookup_knowledge


def build(passages: int, folder: str) -> dict[str, Any]:
    """Seconds of the index run, without the model's share, and bytes on the disk."""
    write_corpus(Path(folder) / "notes", passages)
    base, embedder = _open(folder)
    with base:
        embedder.embed_sample(sentences(SAMPLE))
        report = base.reindex()
    size = sum(p.stat().st_size for p in (Path(folder) / "state").rglob("*") if p.is_file())
    return {"passages": report.passages, "seconds": report.seconds, "bytes": size}


def ask(passages: int, folder: str, queries: int) -> dict[str, Any]:
    """Seconds of the first lookup, which opens index and model, and median milliseconds of later
    ones, all with their record."""
    asked = write_corpus(Path(folder) / "notes", passages)  # the same files and queries again
    base, _ = _open(folder)
    with base:
        started = time.perf_counter()
        lookup_knowledge(asked[0], kb=base, caller="bench")
        first = time.perf_counter() - started
        taken = []
        for number in range(queries):
            started = time.perf_counter()
            result = lookup_knowledge(asked[number % len(asked)], kb=base, caller="bench")
            taken.append(time.perf_counter() - started)
            if result.l1.status != "ok" or result.error is not None:
                raise AssertionError(f"{result.l1.status}, {result.error}")
    return {"first_seconds": first, "milliseconds": median(taken) * 1000}


def _open(folder: str) -> tuple[KnowledgeBase, SampledEmbedder]:
    given = {"state_dir": str(Path(folder) / "state")}
    settings, location = load_settings(Path(folder) / "notes", given)
    embedder = SampledEmbedder(open_embedder(settings.embedding))
    return KnowledgeBase(settings, location, embedder=embedder), embedder
