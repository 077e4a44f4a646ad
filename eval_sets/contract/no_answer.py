"""Whether `relevance` tells questions with an answer from those without one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from eval_sets.rows import mean
from eval_sets.statistics import Interval, auroc, auroc_interval
from eval_sets.types import Case, Mean, Row
from retrieval.types import Level

CLAIMS: tuple[Level, ...] = ("strong", "moderate")
"""Levels at which a lookup says that the evidence answers the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatingPoint:
    """What happens when confidence from `threshold` on is taken as an answer."""

    threshold: float
    false_answer: float
    """Share of the no-answer queries that would get an answer."""
    false_empty: float
    """Share of the answerable queries that would get none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoAnswerMetrics:
    """How well confidence separates; every figure is None without labels of both kinds."""

    auroc: float | None
    interval: Interval | None
    false_answer: Mean
    """Share of the no-answer queries whose level claims an answer."""
    false_empty: Mean
    """Share of the answerable queries whose level claims none."""
    nothing_returned: Mean
    """Share of the answerable queries without any evidence block."""
    points: tuple[OperatingPoint, ...]
    """Every threshold at which a rate changes, lowest first."""
    levels: Mapping[Level, tuple[int, int]]
    """Level → number of answerable queries and of no-answer queries."""


def no_answer_metrics(
    rows: Iterable[Row], cases: Mapping[str, Case], *, seed: int = 0, resamples: int = 2_000
) -> NoAnswerMetrics:
    """The account of confidence over answerable and no-answer queries.

    Cases that say neither are left out. A failed row has no confidence: it counts in `of`, as a
    false empty when the query is answerable, and in no other figure.
    """
    labelled = [row for row in rows if cases[row.case_id].judged]
    answerable = [row for row in labelled if not cases[row.case_id].expect_no_answer]
    unanswerable = [row for row in labelled if cases[row.case_id].expect_no_answer]
    high, low = confidences(answerable), confidences(unanswerable)
    return NoAnswerMetrics(
        auroc=auroc(high, low),
        interval=auroc_interval(high, low, seed=seed, resamples=resamples),
        false_answer=mean(
            None if row.relevance is None else float(_claims(row)) for row in unanswerable
        ),
        false_empty=mean(float(not _claims(row)) for row in answerable),
        nothing_returned=mean(float(not row.ranking) for row in answerable),
        points=operating_points(high, low),
        levels=_levels(answerable, unanswerable),
    )


def confidences(rows: Iterable[Row]) -> tuple[float, ...]:
    """The confidence of each row that has one."""
    return tuple(row.relevance.confidence for row in rows if row.relevance is not None)


def operating_points(
    answerable: Sequence[float], unanswerable: Sequence[float]
) -> tuple[OperatingPoint, ...]:
    """The rates at every threshold that occurs, lowest first; empty without both groups."""
    if not answerable or not unanswerable:
        return ()
    return tuple(
        OperatingPoint(
            threshold=threshold,
            false_answer=sum(c >= threshold for c in unanswerable) / len(unanswerable),
            false_empty=sum(c < threshold for c in answerable) / len(answerable),
        )
        for threshold in sorted({*answerable, *unanswerable})
    )


def point_for(points: Iterable[OperatingPoint], *, false_answer: float) -> OperatingPoint | None:
    """The lowest threshold that keeps false answers at or below a rate; None when none does."""
    return next((point for point in points if point.false_answer <= false_answer), None)


def _claims(row: Row) -> bool:
    return row.relevance is not None and row.relevance.level in CLAIMS


def _levels(answerable: Iterable[Row], unanswerable: Iterable[Row]) -> dict[Level, tuple[int, int]]:
    found: dict[Level, tuple[int, int]] = {
        "strong": (0, 0),
        "moderate": (0, 0),
        "weak": (0, 0),
        "lexical_only": (0, 0),
        "none": (0, 0),
    }
    for row in answerable:
        if row.relevance is not None:
            yes, no = found[row.relevance.level]
            found[row.relevance.level] = (yes + 1, no)
    for row in unanswerable:
        if row.relevance is not None:
            yes, no = found[row.relevance.level]
            found[row.relevance.level] = (yes, no + 1)
    return found
