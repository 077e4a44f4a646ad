"""Tests and intervals by resampling: seeded, vectorised, and free of distribution assumptions."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TIE = 1e-9
"""Scores closer than this are equal: the rest is rounding."""
EXACT_UP_TO = 16
DEFAULT_RESAMPLES = 10_000
_CELLS = 2_000_000
"""Numbers of a chunk: bounds the memory of a resampling, whatever the number of queries."""
_KEPT_CELLS = 5_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A confidence interval; `level` is its nominal coverage."""

    low: float
    high: float
    level: float = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class PValue:
    """A two-sided p-value and whether all sign patterns were counted."""

    value: float
    exact: bool


def randomisation_test(
    differences: Sequence[float], *, resamples: int = DEFAULT_RESAMPLES, seed: int = 0
) -> PValue | None:
    """The paired randomisation test of "the mean difference is 0", by flipping signs.

    Exact over all sign patterns when at most 16 differences are not 0 (one of 0 changes
    no pattern), else Monte Carlo with p = (b + 1) / (m + 1), which is never 0 (Phipson & Smyth
    2010; Smucker, Allan & Carterette 2007 for retrieval). None for no differences at all.
    """
    if len(differences) == 0:
        return None
    values = np.asarray(differences, dtype=np.float64)
    values = values[np.abs(values) > TIE]
    if not len(values):
        return PValue(value=1.0, exact=True)
    # Sums of the same numbers in another order may differ in the last digits.
    observed = abs(float(values.sum())) - 1e-12 * float(np.abs(values).sum())
    if len(values) <= EXACT_UP_TO:
        patterns = np.array(list(itertools.product((1.0, -1.0), repeat=len(values))))
        extreme = int(np.count_nonzero(np.abs(patterns @ values) >= observed))
        return PValue(value=extreme / len(patterns), exact=True)
    rng = np.random.default_rng(seed)
    extreme = 0
    for rows in _chunks(resamples, len(values)):
        signs = rng.integers(0, 2, size=(rows, len(values)), dtype=np.int8) * 2.0 - 1.0
        extreme += int(np.count_nonzero(np.abs(signs @ values) >= observed))
    return PValue(value=(extreme + 1) / (resamples + 1), exact=False)


def bootstrap_mean(
    values: Sequence[float],
    *,
    level: float = 0.95,
    resamples: int = DEFAULT_RESAMPLES,
    seed: int = 0,
    method: Literal["bca", "percentile"] = "bca",
) -> Interval | None:
    """Bootstrap interval of the mean; of a paired difference when the values are differences.

    `bca` corrects the percentiles for bias and skew (Efron 1987). Values that are all equal give
    an interval of no width, fewer than two values None.
    """
    data = np.asarray(values, dtype=np.float64)
    n = len(data)
    if n < 2:
        return None
    if np.ptp(data) == 0:
        return Interval(low=float(data[0]), high=float(data[0]), level=level)
    means = _resampled_means(data, resamples, seed)
    if method == "percentile":
        return _percentiles(means, (1 - level) / 2, (1 + level) / 2, level)
    # Leaving value i out moves the mean by (value - mean) / (n - 1); the scale cancels.
    deviations = data - data.mean()
    acceleration = float((deviations**3).sum() / (6 * (deviations**2).sum() ** 1.5))
    return _bca(means, float(data.mean()), acceleration, level)


def _resampled_means(data: Floats, resamples: int, seed: int) -> Floats:
    n = len(data)
    if n * resamples <= _KEPT_CELLS:
        means: Floats = _kept_draws(n, resamples, seed) @ data / n
        return means
    rng = np.random.default_rng(seed)
    return np.concatenate([_draws(rng, rows, n) @ data / n for rows in _chunks(resamples, n)])


@lru_cache(maxsize=2)
def _kept_draws(n: int, resamples: int, seed: int) -> Floats:
    """The same seed draws the same members: many metrics of the same queries share the draws."""
    rng = np.random.default_rng(seed)
    return np.concatenate([_draws(rng, rows, n) for rows in _chunks(resamples, n)])


def _draws(rng: np.random.Generator, rows: int, n: int) -> Floats:
    """How often each of n members was drawn in each of `rows` resamples, shape (rows, n)."""
    members = rng.integers(0, n, size=(rows, n)) + np.arange(rows)[:, None] * n
    counts = np.bincount(members.ravel(), minlength=rows * n).reshape(rows, n)
    return counts.astype(np.float64)


def _bca(estimates: Floats, observed: float, acceleration: float, level: float) -> Interval:
    # Sums of the same numbers in another order may differ in the last digits.
    equal = np.abs(estimates - observed) <= 1e-12 * max(1.0, abs(observed))
    below = float(np.mean((estimates < observed) & ~equal) + np.mean(equal) / 2)
    if not 0 < below < 1:
        return _percentiles(estimates, (1 - level) / 2, (1 + level) / 2, level)
    normal = NormalDist()
    bias = normal.inv_cdf(below)

    def corrected(share: float) -> float:
        z = bias + normal.inv_cdf(share)
        return normal.cdf(bias + z / (1 - acceleration * z))

    return _percentiles(estimates, corrected((1 - level) / 2), corrected((1 + level) / 2), level)


def auroc(positives: Sequence[float], negatives: Sequence[float]) -> float | None:
    """Chance that a positive scores above a negative, a tie counting one half.

    0.5 is no separation. None when either group is empty.
    """
    if len(positives) == 0 or len(negatives) == 0:
        return None
    high, low = np.asarray(positives, dtype=np.float64), np.sort(np.asarray(negatives, np.float64))
    wins = np.searchsorted(low, high, side="left").sum()
    wins_and_ties = np.searchsorted(low, high, side="right").sum()
    return float((wins + wins_and_ties) / 2 / (len(high) * len(low)))


def auroc_interval(
    positives: Sequence[float],
    negatives: Sequence[float],
    *,
    over: tuple[Sequence[float], Sequence[float]] | None = None,
    level: float = 0.95,
    resamples: int = 2_000,
    seed: int = 0,
) -> Interval | None:
    """Percentile bootstrap interval of the AUROC; both groups are drawn anew, each in its size.

    With `over`, another score of the same positives and negatives in the same order, that of the
    difference: AUROC minus the AUROC of the other score, over the same draws. None when a group
    has fewer than two members.
    """
    if len(positives) < 2 or len(negatives) < 2:
        return None
    # Resampling only weights the pairs, so they are compared once.
    pairs = _won(positives, negatives)
    if over is not None:
        pairs = pairs - _won(*over)
    rng = np.random.default_rng(seed)
    n, m = pairs.shape
    drawn_high = rng.multinomial(n, np.full(n, 1 / n), size=resamples)
    drawn_low = rng.multinomial(m, np.full(m, 1 / m), size=resamples)
    areas = ((drawn_high @ pairs) * drawn_low).sum(axis=1) / (n * m)
    return _percentiles(areas, (1 - level) / 2, (1 + level) / 2, level)


def _won(positives: Sequence[float], negatives: Sequence[float]) -> Floats:
    """1 where the positive scores higher, ½ at a tie, shape (positives, negatives)."""
    high, low = np.asarray(positives, dtype=np.float64), np.asarray(negatives, dtype=np.float64)
    ties: Floats = (high[:, None] == low[None, :]) / 2
    return ties + (high[:, None] > low[None, :])


def _percentiles(estimates: Floats, low: float, high: float, level: float) -> Interval:
    bounds = np.quantile(estimates, (low, high))
    return Interval(low=float(bounds[0]), high=float(bounds[1]), level=level)


def _chunks(total: int, width: int) -> Iterator[int]:
    rows = max(1, _CELLS // max(width, 1))
    for start in range(0, total, rows):
        yield min(rows, total - start)
