"""The gate: a report against what an earlier one was, and against what has to hold always.

All figures are turned so that higher is better. A figure that fell by more than the tolerance is a
regression, over all queries and, for the first metric and what L0 and the filter did, in any
stratum; so is anything less than the promises of the contract, whatever the baseline says.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from eval_sets.baseline import (
    BY_QUERY,
    UPDATE,
    Baseline,
    baseline_of,
    load_baseline,
    save_baseline,
)
from eval_sets.results import Report
from eval_sets.rows import mean
from eval_sets.types import Case
from retrieval.errors import InvalidInput

DEFAULT_TOLERANCE = 0.01
_ROUNDING = 1e-9

__all__ = [
    "DEFAULT_TOLERANCE",
    "Baseline",
    "Move",
    "Regression",
    "baseline_of",
    "broken_promises",
    "compare_to_baseline",
    "load_baseline",
    "save_baseline",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """How one query's score changed."""

    case_id: str
    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Regression:
    """One figure that is worse than it may be."""

    variant: str
    metric: str
    """A metric, or a figure of the contract such as `fallback.l0_primary.l1-raises`."""
    stratum: str | None
    """None for all queries."""
    before: float
    """The baseline's, or what the contract demands."""
    after: float
    moved: tuple[Move, ...] = ()
    """The queries that lost, worst first. Empty for a figure that has none of its own."""

    def sentence(self) -> str:
        """What fell, where, from what to what."""
        where = f" in {self.stratum}" if self.stratum is not None else ""
        return (
            f"{self.variant}: {self.metric}{where} fell from {self.before:.3f} "
            f"to {self.after:.3f} ({self.after - self.before:+.3f})."
        )


def compare_to_baseline(
    report: Report, baseline: Baseline, *, tolerance: float = DEFAULT_TOLERANCE
) -> tuple[Regression, ...]:
    """What is worse than the baseline by more than `tolerance`, or breaks the contract.

    Empty means that the gate is green. Variants of the baseline that the report does not have are
    not looked at. Raises `InvalidInput` when the two cannot be compared: another set, other labels
    or queries, another split, a variant that the baseline does not know.
    """
    _check(report, baseline)
    now = baseline_of(report)
    cases = report.cases_by_id
    found = list(broken_promises(report))
    for variant in report.variants:
        old, new = baseline.variants[variant.name], now.variants[variant.name]
        shared = [metric for metric in old.values if metric in new.values]
        for metric in shared:
            before = dict(zip(baseline.cases, old.values[metric], strict=True))
            after = dict(zip(now.cases, new.values[metric], strict=True))
            by_stratum = metric == shared[0] or metric in BY_QUERY
            groups = [None, *(report.strata if by_stratum else ())]
            for stratum in groups:
                worse = _compare(before, after, cases, stratum, tolerance)
                if worse is not None:
                    found.append(
                        Regression(
                            variant=variant.name,
                            metric=metric,
                            stratum=stratum,
                            before=worse[0],
                            after=worse[1],
                            moved=_lost(before, after, cases, stratum),
                        )
                    )
        for name, was in old.figures.items():
            told = new.figures.get(name)
            if told is not None and was - told > tolerance + _ROUNDING:
                found.append(
                    Regression(
                        variant=variant.name, metric=name, stratum=None, before=was, after=told
                    )
                )
    return tuple(found)


def broken_promises(report: Report) -> Iterator[Regression]:
    """What the contract demands, whatever was before, and the report does not hold."""
    for fault in report.faults:
        kept, profile = fault.metrics, fault.profile
        shares = {
            "l0_primary": (kept.l0_primary.value, kept.lost),
            "records_kept": (kept.records_kept.value, ()),
            "no_false_semantic": (float(not kept.false_semantic), kept.false_semantic),
            "no_crash": (float(not fault.failed), fault.failed),
        }
        for name, (value, ids) in shares.items():
            if value is not None and value < 1:
                yield _promise(fault.variant, f"fallback.{name}.{profile}", value, ids)
    for variant, account in report.dedupe.items():
        promises = {
            "no_duplicates": (float(not account.duplicates), account.duplicated),
            "reasons_kept": (
                account.reasons_kept.value,
                tuple(case_id for case_id, _ in account.reasons_lost),
            ),
            "counts_hold": (float(not account.counts_broken), account.counts_broken),
        }
        for name, (value, ids) in promises.items():
            if value is not None and value < 1:
                yield _promise(variant, f"dedupe.{name}", value, ids)
    for asked in report.variants:
        crashed = tuple(r.case_id for r in report.of_variant(asked.name) if r.status == "failed")
        if crashed:
            share = 1 - len(crashed) / len(report.cases)
            yield _promise(asked.name, "answered", share, crashed)


def _check(report: Report, baseline: Baseline) -> None:
    unknown = [v.name for v in report.variants if v.name not in baseline.variants]
    kept = {metric for known in baseline.variants.values() for metric in known.values}
    gated = kept - set(BY_QUERY)
    problem = None
    if report.set_name != baseline.set_name:
        problem = f"is of the set {baseline.set_name!r}, not {report.set_name!r}"
    elif report.split != baseline.split:
        problem = f"is of the split {baseline.split or 'all'!r}, not {report.split or 'all'!r}"
    elif report.set_digest != baseline.set_digest:
        problem = "was made with other queries or labels"
    elif unknown:
        problem = f"does not know the variant {unknown[0]!r}"
    elif not gated & set(report.metrics):
        problem = f"holds {', '.join(sorted(gated))}, which the report does not have"
    if problem is not None:
        raise InvalidInput(f"The baseline {problem}.", next_action=UPDATE)


def _compare(
    before: Mapping[str, float | None],
    after: Mapping[str, float | None],
    cases: Mapping[str, Case],
    stratum: str | None,
    tolerance: float,
) -> tuple[float, float] | None:
    """Both means, where the second is lower by more than the tolerance."""
    ids = [i for i in before if stratum is None or cases[i].stratum == stratum]
    was, told = mean(before[i] for i in ids).value, mean(after[i] for i in ids).value
    if was is None or told is None or was - told <= tolerance + _ROUNDING:
        return None
    return was, told


def _lost(
    before: Mapping[str, float | None],
    after: Mapping[str, float | None],
    cases: Mapping[str, Case],
    stratum: str | None,
) -> tuple[Move, ...]:
    moves = [
        Move(case_id=i, before=before[i], after=after[i])
        for i in before
        if (stratum is None or cases[i].stratum == stratum) and _change(before[i], after[i]) < 0
    ]
    return tuple(sorted(moves, key=lambda m: (_change(m.before, m.after), m.case_id)))


def _change(before: float | None, after: float | None) -> float:
    return (after or 0.0) - (before or 0.0)


def _promise(variant: str, metric: str, value: float, ids: Sequence[str]) -> Regression:
    moved = tuple(Move(case_id=i, before=None, after=None) for i in dict.fromkeys(ids))
    return Regression(
        variant=variant, metric=metric, stratum=None, before=1.0, after=value, moved=moved
    )
