"""Fusion of dense and full-text scores into one ranking of notes and their passages. Pure.

Each signal is brought to 0..1 and weighted; a note that a signal did not see gets 0 from it.
Cosines are scaled by min-max over the candidates. BM25 is divided by the best score of the query:
its least value is 0 by definition. See Bruch, Gai and Ingber 2023, "An Analysis of Fusion Functions
for Hybrid Retrieval": a convex combination of scaled scores keeps what ranks alone lose, and a
theoretical minimum is steadier than a measured one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from retrieval.weights import WEIGHTS, Weights


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """Raw scores of the candidates: cosines and BM25 by passage, BM25 by note."""

    source_of: Mapping[str, str]
    """Passage → note, for every candidate passage."""
    cosines: Mapping[str, float]
    passage_bm25: Mapping[str, float]
    second_bm25: Mapping[str, float]
    """Note → BM25 of its second best passage, candidate or not; of its only one where it has one.
    """
    entry_bm25: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scales:
    """What scores are measured by: the lowest and highest cosine, and the best BM25 of each kind.

    A filtered request is measured by the scales of the unfiltered one. So a filter takes notes out,
    and never turns the order of those that stay.
    """

    lowest: float
    highest: float
    passage: float
    entry: float

    @classmethod
    def of(cls, signals: Signals) -> "Scales":
        cosines = signals.cosines.values()
        return cls(
            lowest=min(cosines, default=0.0),
            highest=max(cosines, default=0.0),
            passage=max(signals.passage_bm25.values(), default=0.0),
            entry=max(signals.entry_bm25.values(), default=0.0),
        )

    def cosine(self, value: float) -> float:
        """0 for the lowest cosine and 1 for the highest; 1 when all are equal."""
        spread = self.highest - self.lowest
        return (value - self.lowest) / spread if spread > 1e-12 else 1.0

    def passage_share(self, score: float) -> float:
        """A passage's share of the best BM25 of a passage."""
        return score / (self.passage or 1.0)

    def entry_share(self, score: float) -> float:
        """A note's share of the best BM25 of a note."""
        return score / (self.entry or 1.0)


def fuse(
    signals: Signals,
    weights: Weights = WEIGHTS,
    scales: Scales | None = None,
) -> list[tuple[str, float]]:
    """The candidate passages with their note's fused score, best note first.

    Without `scales` the scores are measured by those of these signals. Within a note the passages
    stand by their own share of the score. Ties are broken by identity, so that a second run gives
    the same order.
    """
    scales = scales or Scales.of(signals)
    cosine = {pid: scales.cosine(value) for pid, value in signals.cosines.items()}
    best_cosine = _best(cosine, signals.source_of)
    best_passage = _best(signals.passage_bm25, signals.source_of)
    score = {
        source: weights.dense * best_cosine.get(source, 0.0)
        + weights.passage * scales.passage_share(best_passage.get(source, 0.0))
        + weights.second * scales.passage_share(signals.second_bm25.get(source, 0.0))
        + weights.entry * scales.entry_share(signals.entry_bm25.get(source, 0.0))
        for source in set(signals.source_of.values())
    }
    own = {
        pid: weights.dense * cosine.get(pid, 0.0)
        + weights.passage * scales.passage_share(signals.passage_bm25.get(pid, 0.0))
        for pid in signals.source_of
    }
    ranked = sorted(
        signals.source_of.items(), key=lambda item: (-score[item[1]], item[1], -own[item[0]], item)
    )
    return [(pid, score[source]) for pid, source in ranked]


def ranks(ordered: Iterable[str]) -> dict[str, int]:
    """1-based positions."""
    return {key: position for position, key in enumerate(ordered, start=1)}


def _best(scores: Mapping[str, float], source_of: Mapping[str, str]) -> dict[str, float]:
    best: dict[str, float] = {}
    for pid, value in scores.items():
        source = source_of[pid]
        best[source] = max(value, best.get(source, value))
    return best
