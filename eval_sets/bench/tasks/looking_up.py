"""Whole lookups with their record, and bare queries of a Chroma collection of the same size."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from typing import Any

from eval_sets.bench.peers.chroma import open_bare
from eval_sets.bench.synthetic import CATEGORIES, write_corpus
from eval_sets.bench.vectors import SampledEmbedder
from retrieval.knowledge_base import KnowledgeBase
from retrieval.semantic.embedding import open_embedder
from retrieval.settings import load_settings
from retrieval.tools.lookup import lookup_knowledge
from retrieval.types import LookupResult

NEIGHBOURS = 10
"""What a bare query asks for. A lookup asks for 100 passages and scores all of them by words."""
_WARM_UP = 10


def look_up(passages: int, queries: int, repeat: int, folder: str) -> dict[str, Any]:
    """Median milliseconds of each kind, repetition by repetition; kinds alternate query by query.

    `no_filter`: no filter, wanted or derived; `caller_filter`: one category by argument;
    `derived_filter`: the category that the query's words hint at, with the shadow request. From
    each the time of embedding the query is taken off; `embedding` has it. `bare` is Chroma.
    """
    root = Path(folder) / "notes"
    asked = write_corpus(root, passages)
    settings, location = load_settings(root, {"state_dir": str(Path(folder) / "state")})
    embedder = SampledEmbedder(open_embedder(settings.embedding))
    times: list[dict[str, float]] = []
    applied: dict[str, int] = {}
    with KnowledgeBase(settings, location, embedder=embedder) as base:
        report = base.reindex()
        titles = [entry.title for entry in base.entries]
        bare = open_bare(Path(folder) / "bare", embedder.scatter(report.passages))
        vector = embedder.embed_query(asked[0])
        kinds: dict[str, Callable[[int], LookupResult | None]] = {
            "no_filter": lambda n: _ask(base, asked[n % len(asked)], {"filter_mode": "off"}),
            "caller_filter": lambda n: _ask(
                base, asked[n % len(asked)], {"filters": {"category": f"area{n % CATEGORIES}"}}
            ),
            "derived_filter": lambda n: _ask(base, titles[n * 7 % len(titles)], {}),
            "bare": lambda _: bare(vector, NEIGHBOURS),
        }
        for repetition in range(-1, repeat):
            count = queries if repetition >= 0 else min(_WARM_UP, queries)
            taken: dict[str, list[float]] = {name: [] for name in (*kinds, "embedding")}
            applied = dict.fromkeys(kinds, 0)
            for number in range(count):
                for name, call in kinds.items():
                    before = embedder.query_seconds
                    started = time.perf_counter()
                    result = call(number)
                    seconds = time.perf_counter() - started
                    embedding = embedder.query_seconds - before
                    taken[name].append(seconds - embedding)
                    if result is not None:
                        taken["embedding"].append(embedding)
                        applied[name] += bool(result.filter.category or result.filter.conditions)
            if repetition >= 0:
                times.append({name: median(values) * 1000 for name, values in taken.items()})
    return {"passages": report.passages, "milliseconds": times, "filtered": applied}


def _ask(base: KnowledgeBase, query: str, options: Mapping[str, Any]) -> LookupResult:
    """The recorded answer. Raises `AssertionError` when it lacks L1 or its record."""
    result = lookup_knowledge(query, kb=base, caller="bench", **options)
    if result.l1.status != "ok" or result.invocation_id is None or result.error is not None:
        raise AssertionError(f"{result.l1.status}, {result.error}, {result.warnings}")
    return result
