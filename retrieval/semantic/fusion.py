"""Fusion of dense and full-text scores into one ranking of notes and their passages. Pure.

Each signal is scaled to 0..1 over the union of candidates (min-max) and weighted; a note that a
signal did not see gets 0 from it. See Bruch, Gai and Ingber 2023, "An Analysis of Fusion Functions
for Hybrid Retrieval": a convex combination of scaled scores keeps what ranks alone lose.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

DENSE_WEIGHT = 1.0
PASSAGE_WEIGHT = 0.5
ENTRY_WEIGHT = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """Raw scores of the candidates: cosines and BM25 by passage, BM25 by note."""

    source_of: Mapping[str, str]
    """Passage → note, for every candidate passage."""
    cosines: Mapping[str, float]
    passage_bm25: Mapping[str, float]
    entry_bm25: Mapping[str, float]


def fuse(signals: Signals) -> list[tuple[str, float]]:
    """The candidate passages with their note's fused score, best note first.

    Within a note the passages stand by their own share of the score. Ties are broken by identity,
    so that a second run gives the same order.
    """
    cosine = scale(signals.cosines)
    passage = scale(signals.passage_bm25)
    sources = set(signals.source_of.values())
    entry = scale({s: v for s, v in signals.entry_bm25.items() if s in sources})
    own = {
        pid: DENSE_WEIGHT * cosine.get(pid, 0.0) + PASSAGE_WEIGHT * passage.get(pid, 0.0)
        for pid in signals.source_of
    }
    best_cosine = _best(cosine, signals.source_of)
    best_passage = _best(passage, signals.source_of)
    score = {
        source: DENSE_WEIGHT * best_cosine.get(source, 0.0)
        + PASSAGE_WEIGHT * best_passage.get(source, 0.0)
        + ENTRY_WEIGHT * entry.get(source, 0.0)
        for source in sources
    }
    ranked = sorted(
        signals.source_of.items(), key=lambda item: (-score[item[1]], item[1], -own[item[0]], item)
    )
    return [(pid, score[source]) for pid, source in ranked]


def scale(scores: Mapping[str, float]) -> dict[str, float]:
    """Scores mapped to 0..1 by min-max; all 1 when they are equal."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    if high - low < 1e-12:
        return dict.fromkeys(scores, 1.0)
    return {key: (value - low) / (high - low) for key, value in scores.items()}


def ranks(ordered: Iterable[str]) -> dict[str, int]:
    """1-based positions."""
    return {key: position for position, key in enumerate(ordered, start=1)}


def _best(scores: Mapping[str, float], source_of: Mapping[str, str]) -> dict[str, float]:
    best: dict[str, float] = {}
    for pid, value in scores.items():
        source = source_of[pid]
        best[source] = max(value, best.get(source, 0.0))
    return best
