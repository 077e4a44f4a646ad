"""From rows to the figures of a report: means with intervals, comparisons, overlap."""

from collections.abc import Mapping, Sequence
from itertools import combinations

from eval_sets.metrics import distinct
from eval_sets.overlap import jaccard, rank_biased_overlap
from eval_sets.results import Overlap, Score, StratumComparison
from eval_sets.rows import mean
from eval_sets.statistics import Comparison, bootstrap_mean, compare, correct
from eval_sets.types import Case, Row

Scores = Mapping[str, float | None]
"""Case id → score."""
Values = Mapping[str, Mapping[str, Scores]]
"""Variant → metric → case id → score."""
OVERLAP_DEPTH = 10


def mean_scores(
    values: Values, cases: Sequence[Case], *, seed: int, resamples: int
) -> tuple[Score, ...]:
    """Every variant and metric, over all cases and then by stratum."""
    groups: list[tuple[str | None, set[str]]] = [(None, {case.id for case in cases})]
    groups += [(name, ids) for name, ids in _by_stratum(cases).items()]
    found = []
    # Groups outermost: the draws of a bootstrap are kept for scores of the same number.
    for stratum, ids in groups:
        for variant, metrics in values.items():
            for metric, scores in metrics.items():
                members = [scores.get(case_id) for case_id in sorted(ids)]
                present = [value for value in members if value is not None]
                found.append(
                    Score(
                        variant=variant,
                        metric=metric,
                        stratum=stratum,
                        mean=mean(members),
                        interval=bootstrap_mean(present, resamples=resamples, seed=seed),
                    )
                )
    return tuple(found)


def compare_all(
    values: Values, baseline: str, *, seed: int, resamples: int
) -> tuple[Comparison, ...]:
    """Every other variant against the baseline; Holm over the variants, metric by metric."""
    others = [variant for variant in values if variant != baseline]
    found: list[Comparison] = []
    for metric in values[baseline]:
        family = [
            compare(
                values[baseline][metric],
                values[other][metric],
                names=(baseline, other),
                metric=metric,
                seed=seed,
                resamples=resamples,
            )
            for other in others
        ]
        found.extend(correct(family))
    return tuple(found)


def compare_strata(
    values: Values,
    baseline: str,
    metric: str,
    cases: Sequence[Case],
    *,
    seed: int,
    resamples: int,
) -> tuple[StratumComparison, ...]:
    """One metric by stratum; Holm over all strata and variants together.

    A stratum without a score in any variant (no relevant notes) is left out.
    """
    named: list[str] = []
    family: list[Comparison] = []
    for stratum, ids in _by_stratum(cases).items():
        for other in values:
            if other == baseline:
                continue
            first, second = (
                {case_id: values[name][metric].get(case_id) for case_id in ids}
                for name in (baseline, other)
            )
            comparison = compare(
                first,
                second,
                names=(baseline, other),
                metric=metric,
                seed=seed,
                resamples=resamples,
            )
            if comparison.n:
                named.append(stratum)
                family.append(comparison)
    return tuple(
        StratumComparison(stratum=stratum, comparison=comparison)
        for stratum, comparison in zip(named, correct(family), strict=True)
    )


def overlap_of(rows: Mapping[str, Sequence[Row]], cases: Mapping[str, Case]) -> tuple[Overlap, ...]:
    """Every pair of variants, over the cases that both have a row for.

    A row that crashed has no ranking to compare and counts in `of` only.
    """
    found = []
    for a, b in combinations(rows, 2):
        second = {row.case_id: row for row in rows[b]}
        pairs = [
            _both(first, second[first.case_id], cases[first.case_id].exclude)
            for first in rows[a]
            if first.case_id in second
        ]
        found.append(
            Overlap(
                a=a,
                b=b,
                rbo=mean(pair and rank_biased_overlap(*pair) for pair in pairs),
                jaccard=mean(pair and jaccard(*pair, OVERLAP_DEPTH) for pair in pairs),
            )
        )
    return tuple(found)


def _both(a: Row, b: Row, exclude: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    if "failed" in (a.status, b.status):
        return None
    return distinct(a.sources, exclude), distinct(b.sources, exclude)


def _by_stratum(cases: Sequence[Case]) -> dict[str, set[str]]:
    """Stratum → ids; empty when the cases have no strata."""
    found: dict[str, set[str]] = {}
    for case in cases:
        if case.stratum:
            found.setdefault(case.stratum, set()).add(case.id)
    return found
