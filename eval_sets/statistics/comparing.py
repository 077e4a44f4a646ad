"""Two variants on the same queries: how far apart, how sure, and said in a sentence."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from eval_sets.statistics.resampling import (
    DEFAULT_RESAMPLES,
    TIE,
    Interval,
    PValue,
    bootstrap_mean,
    randomisation_test,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """`b` minus `a` over the queries that both have a score for.

    Every figure is None when there are too few pairs for it (none, or one for spread).
    """

    a: str
    b: str
    metric: str
    n: int
    """Queries in the comparison."""
    of: int
    """Queries that either variant was asked."""
    mean_a: float | None
    mean_b: float | None
    difference: float | None
    interval: Interval | None
    p: PValue | None
    p_adjusted: float | None = None
    """Holm-corrected over the comparisons that were made together; None when there was one."""
    effect_size: float | None = None
    """Cohen's d_z: mean difference in units of the differences' standard deviation."""
    wins: int = 0
    ties: int = 0
    losses: int = 0
    detectable: float | None = None
    """Smallest difference that this many queries would show with 80 % power at 5 %."""
    alpha: float = 0.05

    @property
    def distinguishable(self) -> bool:
        """True when the p-value (the corrected one, where there is one) is at most `alpha`."""
        return self.p is not None and self._deciding(self.p) <= self.alpha

    def sentence(self) -> str:
        """What the numbers allow to say, for a reader who sees nothing else."""
        if self.difference is None or self.p is None:
            return f"{self.b} and {self.a} have no scored query in common: nothing to compare."
        p = self._deciding(self.p)
        kind = "p" if self.p_adjusted is None else "Holm-corrected p"
        spread = (
            f"{self.interval.level:.0%} interval "
            f"{self.interval.low:+.3f} to {self.interval.high:+.3f}, "
            if self.interval
            else ""
        )
        figures = f"({spread}{kind} {_p_text(p)}, {_queries(self.n)})"
        if self.distinguishable:
            word = "better" if self.difference > 0 else "worse"
            return (
                f"{self.b} is {word} than {self.a} by {abs(self.difference):.3f} "
                f"{self.metric} {figures}."
            )
        tail = (
            f" {_queries(self.n)} would show a difference of {self.detectable:.3f} or more with "
            "80 % power."
            if self.detectable
            else ""
        )
        return (
            f"{self.b} and {self.a} are not distinguishable in {self.metric}: "
            f"difference {self.difference:+.3f} {figures}.{tail}"
        )

    def _deciding(self, p: PValue) -> float:
        return p.value if self.p_adjusted is None else self.p_adjusted


def compare(
    a: Mapping[str, float | None],
    b: Mapping[str, float | None],
    *,
    names: tuple[str, str],
    metric: str,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
    alpha: float = 0.05,
) -> Comparison:
    """The paired comparison of two variants' scores, each query id → score.

    A query without a score in either is left out and shows in `of` only. Pairs are taken in the
    order of ids, so the same scores give the same figures however they are stored.
    """
    asked = sorted(a.keys() | b.keys())
    pairs = [
        (first, second)
        for key in asked
        if (first := a.get(key)) is not None and (second := b.get(key)) is not None
    ]
    differences = [second - first for first, second in pairs]
    return Comparison(
        a=names[0],
        b=names[1],
        metric=metric,
        n=len(pairs),
        of=len(asked),
        mean_a=_average([first for first, _ in pairs]),
        mean_b=_average([second for _, second in pairs]),
        difference=_average(differences),
        interval=bootstrap_mean(differences, level=1 - alpha, resamples=resamples, seed=seed),
        p=randomisation_test(differences, resamples=resamples, seed=seed),
        effect_size=effect_size(differences),
        wins=sum(difference > TIE for difference in differences),
        ties=sum(abs(difference) <= TIE for difference in differences),
        losses=sum(difference < -TIE for difference in differences),
        detectable=detectable_difference(differences, alpha=alpha),
        alpha=alpha,
    )


def correct(comparisons: Iterable[Comparison]) -> tuple[Comparison, ...]:
    """The comparisons with `p_adjusted`, corrected as one family; a single one stays as it is.

    Comparisons without a p-value are kept, and do not count.
    """
    family = tuple(comparisons)
    tested = [c.p.value for c in family if c.p is not None]
    if len(tested) < 2:
        return family
    adjusted = iter(holm(tested))
    return tuple(replace(c, p_adjusted=next(adjusted)) if c.p else c for c in family)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's step-down correction (1979), in the order given, each at most 1."""
    count = len(p_values)
    adjusted = [0.0] * count
    highest = 0.0
    for step, index in enumerate(sorted(range(count), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (count - step) * p_values[index]))
        adjusted[index] = highest
    return tuple(adjusted)


def effect_size(differences: Sequence[float]) -> float | None:
    """Cohen's d_z of paired differences.

    0.0 when all of them are 0; None for fewer than two, or when all are equal and not 0.
    """
    spread = _spread(differences)
    if spread is None:
        return None
    average = float(np.mean(differences))
    if spread == 0:
        return 0.0 if average == 0 else None
    return average / spread


def detectable_difference(
    differences: Sequence[float], *, alpha: float = 0.05, power: float = 0.8
) -> float | None:
    """Smallest true mean difference that so many pairs would show with the given power.

    (z(1 - alpha/2) + z(power)) · sd / √n, with the standard deviation of these differences; the
    normal approximation, a few per cent too low below 30 pairs. None for fewer than two pairs.
    """
    spread = _spread(differences)
    if spread is None:
        return None
    normal = NormalDist()
    factor = normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)
    return factor * spread / math.sqrt(len(differences))


def _spread(values: Sequence[float]) -> float | None:
    if len(values) < 2:
        return None
    # A spread that is only rounding would make any effect look huge.
    return 0.0 if max(values) - min(values) <= TIE else float(np.std(values, ddof=1))


def _average(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _p_text(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _queries(n: int) -> str:
    return "1 query" if n == 1 else f"{n} queries"
