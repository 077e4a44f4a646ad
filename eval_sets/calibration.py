"""Thresholds of `relevance` from labelled queries of one index: fitted on some, told on others.

The confidence stays the logistic function that `retrieval.relevance` computes; only its weights
and cuts are fitted. Both kinds of queries weigh the same, so a confidence of 0.5 is where an
answer is as likely as none if there were as many questions with as without.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from eval_sets.contract import NoAnswerMetrics, no_answer_metrics, operating_points, point_for
from eval_sets.errors import TooFewLabels
from eval_sets.statistics import auroc
from eval_sets.types import Case, Row
from retrieval.relevance import LEXICAL_CEILING, Thresholds

MINIMUM = 15
"""Queries of each kind below which nothing is fitted: one query would move a rate by over 6 %."""
STRONG_FALSE_ANSWERS = 0.05
MODERATE_FALSE_ANSWERS = 0.20
_RIDGE = 0.01
_STEPS = 100

Floats = NDArray[np.float64]
Point = tuple[float, float, float]
"""Cosine, coverage and overlap of a primary: what the confidence is a function of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Fitted thresholds, and from how many labels they come."""

    thresholds: Thresholds
    semantic_floor: float
    """Primary cosine that tells the two kinds apart best (largest Youden index)."""
    answerable: int
    unanswerable: int
    skipped: int
    """Labelled queries that had no cosine to fit on."""
    auroc: float
    """Separation of the fitted confidence on the queries that it was fitted on."""


def calibrate(
    rows: Iterable[Row], cases: Mapping[str, Case], *, minimum: int = MINIMUM
) -> Calibration:
    """Thresholds from the rows of labelled queries; pass those of one variant and of `dev` only.

    `strong` is the lowest confidence that at most 5 % of the no-answer queries reach, `moderate`
    20 %. A weight that comes out negative is set to 0: more evidence never lowers confidence.

    Raises `TooFewLabels` with fewer than `minimum` usable queries of either kind. A query is
    usable when L1 answered it and its primary has a cosine.
    """
    labelled = [row for row in rows if cases[row.case_id].judged]
    usable = [(row, point) for row in labelled if (point := point_of(row)) is not None]
    high = [point for row, point in usable if not cases[row.case_id].expect_no_answer]
    low = [point for row, point in usable if cases[row.case_id].expect_no_answer]
    if len(high) < minimum or len(low) < minimum:
        raise TooFewLabels(
            f"{len(high)} usable queries with an answer and {len(low)} without one are too few "
            f"to calibrate: {minimum} of each are needed. Usable is a query whose primary has "
            "a cosine.",
            next_action="Label more queries (expect_no_answer: true for those without an answer).",
        )
    fitted = replace(fit([high], [low]), calibrated=True)
    sure, unsure = ([fitted.confidence(*point) for point in points] for points in (high, low))
    points = operating_points(sure, unsure)
    strong = point_for(points, false_answer=STRONG_FALSE_ANSWERS)
    moderate = point_for(points, false_answer=MODERATE_FALSE_ANSWERS)
    highest = max(sure)
    return Calibration(
        thresholds=replace(
            fitted,
            strong=strong.threshold if strong else highest,
            moderate=moderate.threshold if moderate else highest,
        ),
        semantic_floor=_youden([point[0] for point in high], [point[0] for point in low]),
        answerable=len(high),
        unanswerable=len(low),
        skipped=len(labelled) - len(usable),
        auroc=auroc(sure, unsure) or 0.0,
    )


def evaluate_calibration(
    rows: Iterable[Row], cases: Mapping[str, Case], calibration: Calibration, *, seed: int = 0
) -> NoAnswerMetrics:
    """What the thresholds do on other queries: pass the rows of `test`."""
    return no_answer_metrics((reassess(row, calibration) for row in rows), cases, seed=seed)


def reassess(row: Row, calibration: Calibration) -> Row:
    """The row as the lookup would have assessed it with these thresholds and this floor.

    Equal to `retrieval.relevance.assess`, from what a row keeps of the blocks. A row that L1 has
    no part in is returned as it is.
    """
    point = point_of(row)
    if point is None or row.relevance is None:
        return row
    thresholds = calibration.thresholds
    confidence = thresholds.confidence(*point)
    supported = point[0] >= calibration.semantic_floor
    if not supported:
        confidence = min(confidence, LEXICAL_CEILING)
    return replace(
        row,
        relevance=replace(
            row.relevance,
            level=thresholds.level(confidence),
            confidence=round(confidence, 4),
            calibrated=thresholds.calibrated,
            semantic_support=supported,
            reason="Assessed again with other thresholds.",
        ),
    )


def point_of(row: Row) -> Point | None:
    """Cosine, coverage and overlap of the primary; None without an answer of L1 to fit on."""
    if row.l1_status != "ok" or not row.ranking:
        return None
    cosine, coverage, overlap = row.ranking[0].score, row.coverage, row.overlap
    if cosine is None or coverage is None or overlap is None:
        return None
    return cosine, coverage, overlap


def fit(high: Sequence[Sequence[Point]], low: Sequence[Sequence[Point]]) -> Thresholds:
    """Weights that tell the points with an answer (`high`) from those without one (`low`).

    Both kinds weigh the same, within a kind every group does, and within a group every point.
    """
    groups = [[group for group in kind if group] for kind in (low, high)]
    features = np.array([p for kind in groups for group in kind for p in group], dtype=np.float64)
    labels = np.repeat([0.0, 1.0], [sum(map(len, kind)) for kind in groups])
    balance = np.concatenate(
        [np.full(len(g), 0.5 / len(kind) / len(g)) for kind in groups for g in kind]
    )
    used = list(range(features.shape[1]))
    weights = np.zeros(1)
    while used:
        weights = _logistic(features[:, used], labels, balance)
        positive = [column for column, w in zip(used, weights[1:], strict=True) if w >= 0]
        if positive == used:
            break
        used, weights = positive, np.zeros(1)
    found = dict(zip(used, map(float, weights[1:]), strict=True))
    return Thresholds(
        bias=float(weights[0]),
        cosine_weight=found.get(0, 0.0),
        coverage_weight=found.get(1, 0.0),
        overlap_weight=found.get(2, 0.0),
    )


def _logistic(features: Floats, labels: Floats, balance: Floats) -> Floats:
    """Bias and weights of a logistic regression by Newton's method; `balance` weighs the points.

    The ridge on the weights (not on the bias) keeps them finite when the groups do not overlap.
    """
    design = np.column_stack([np.ones(len(labels)), features])
    penalty = np.diag([0.0] + [_RIDGE / len(labels)] * features.shape[1])
    weights = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        predicted = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
        gradient = design.T @ (balance * (predicted - labels)) + penalty @ weights
        curvature = balance * np.maximum(predicted * (1 - predicted), 1e-9)
        hessian = design.T @ (design * curvature[:, None]) + penalty
        step = np.linalg.solve(hessian, gradient)
        # A full Newton step can overshoot where the groups hardly overlap.
        weights = weights - step * min(1.0, 4.0 / max(float(np.abs(step).max()), 1e-12))
        if float(np.abs(step).max()) < 1e-9:
            break
    return weights


def _youden(high: Sequence[float], low: Sequence[float]) -> float:
    """The cut with the largest share of both kinds on its own side; the lowest of equal ones."""
    best = max(operating_points(high, low), key=lambda p: -p.false_answer - p.false_empty)
    return best.threshold
