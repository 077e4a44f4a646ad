"""Rankings that anyone builds first, over the very lists that the lookup fuses. Pure.

They are what the default has to beat, and no settings of a lookup.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

RRF_K = 60
"""The constant of Cormack, Clarke and Büttcher 2009, "Reciprocal rank fusion outperforms Condorcet
and individual rank learning methods"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lists:
    """The notes of the dense and of the full-text request, each with its best passage's score."""

    dense: Mapping[str, float]
    bm25: Mapping[str, float]


def rank_dense(lists: Lists) -> list[str]:
    """Notes by the cosine of their best passage."""
    return _ordered(lists.dense)


def rank_bm25(lists: Lists) -> list[str]:
    """Notes by the BM25 of their best passage."""
    return _ordered(lists.bm25)


def rank_rrf(lists: Lists) -> list[str]:
    """Reciprocal rank fusion: notes by the sum of 1 / (60 + rank) over both lists."""
    scores: dict[str, float] = {}
    for ranking in (rank_dense(lists), rank_bm25(lists)):
        for rank, source in enumerate(ranking, start=1):
            scores[source] = scores.get(source, 0.0) + 1 / (RRF_K + rank)
    return _ordered(scores)


def rank_minmax(lists: Lists) -> list[str]:
    """Notes by the sum of both scores, each brought to 0..1 by min-max over its list."""
    scores: dict[str, float] = {}
    for held in (lists.dense, lists.bm25):
        low, high = min(held.values(), default=0.0), max(held.values(), default=0.0)
        for source, score in held.items():
            scaled = (score - low) / (high - low) if high > low else 1.0
            scores[source] = scores.get(source, 0.0) + scaled
    return _ordered(scores)


BASELINES: Mapping[str, tuple[Callable[[Lists], list[str]], str]] = {
    "dense": (rank_dense, "the cosine of the best passage alone"),
    "bm25": (rank_bm25, "BM25 of the best passage alone"),
    "rrf": (rank_rrf, "both by reciprocal rank fusion"),
    "minmax": (rank_minmax, "both by plain min-max fusion"),
}
"""Name → the ranking, and what it is in words."""


def best_by_note(
    passages: Sequence[tuple[str, float]], source_of: Mapping[str, str]
) -> dict[str, float]:
    """Note → the best score of its passages; `passages` are (id, score)."""
    best: dict[str, float] = {}
    for pid, score in passages:
        source = source_of[pid]
        best[source] = max(score, best.get(source, score))
    return best


def _ordered(scores: Mapping[str, float]) -> list[str]:
    return sorted(scores, key=lambda source: (-scores[source], source))
