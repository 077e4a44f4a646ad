"""Two reports on the same queries: what changed between them, and is it more than noise?"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from eval_sets.metrics import distinct, first_rank
from eval_sets.results import Report
from eval_sets.statistics import Comparison, compare, correct
from eval_sets.statistics.resampling import TIE
from eval_sets.types import Case, Row
from retrieval.errors import InvalidInput
from retrieval.types import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One query whose score under the first metric changed."""

    variant: str
    case_id: str
    query: str
    stratum: str
    before: float
    after: float
    rank_before: int | None
    """Rank of the first relevant note, None when it was not found."""
    rank_after: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportComparison:
    """Report `b` against report `a`."""

    set_name: str
    metric: str
    """What moves and strata are told in: the first metric that both have."""
    pairs: tuple[tuple[str, str], ...]
    """The variants of `a` and of `b` that are compared."""
    queries: int
    """Queries that both asked, with the same text and labels."""
    left_out: tuple[str, ...]
    """Ids of queries that only one of them has, or that were changed in between."""
    comparisons: tuple[Comparison, ...]
    """Every shared metric and pair; Holm over the pairs, metric by metric."""
    strata: tuple[tuple[str, Comparison], ...]
    """The metric by stratum; Holm over all of them together."""
    moves: tuple[Move, ...]
    """Worst first."""
    differing: Mapping[str, tuple[str, str]]
    """What else differs: versions, digests, seed."""

    def to_dict(self) -> dict[str, Json]:
        """JSON-safe values; each comparison says in a sentence what it shows."""
        data = asdict(self)
        data["comparisons"] = [_told(c) for c in self.comparisons]
        data["strata"] = [{"stratum": name, **_told(c)} for name, c in self.strata]
        return data


def compare_reports(
    a: Report, b: Report, *, variants: tuple[str, str] | None = None
) -> ReportComparison:
    """What changed from `a` to `b`, paired by query; queries whose labels changed are left out.

    Variants of the same name are compared; `variants` names one of each instead, and where each
    report has a single variant these two are taken. Raises `InvalidInput` when nothing can be
    paired.
    """
    if a.set_name != b.set_name:
        raise InvalidInput(
            f"One report is on {a.set_name!r} and the other on {b.set_name!r}.",
            next_action="Compare two reports on the same set.",
        )
    cases, pairs = _shared(a, b), _pairs(a, b, variants)
    metrics = [metric for metric in a.metrics if metric in b.metrics]
    if not cases or not metrics:
        raise InvalidInput(
            "The reports have no query or no metric in common.",
            next_action="Run the second one on the same queries with the same metrics.",
        )
    first = metrics[0]
    strata = {case.stratum: None for case in cases.values() if case.stratum}

    def compared(metric: str, pair: tuple[str, str], ids: Any) -> Comparison:
        names = (f"{pair[0]} in A", f"{pair[1]} in B")
        scores = [
            {case_id: report.values.get(name, {}).get(metric, {}).get(case_id) for case_id in ids}
            for report, name in zip((a, b), pair, strict=True)
        ]
        return compare(
            scores[0],
            scores[1],
            names=names,
            metric=metric,
            seed=b.seed,
            resamples=b.resamples,
        )

    within = [
        (stratum, compared(first, pair, [c.id for c in cases.values() if c.stratum == stratum]))
        for pair in pairs
        for stratum in strata
    ]
    family = [(stratum, comparison) for stratum, comparison in within if comparison.n]
    corrected = correct(comparison for _, comparison in family)
    moves = [move for pair in pairs for move in _moves(a, b, pair, first, cases)]
    return ReportComparison(
        set_name=b.set_name,
        metric=first,
        pairs=pairs,
        queries=len(cases),
        left_out=tuple(sorted(({c.id for c in (*a.cases, *b.cases)}) - cases.keys())),
        comparisons=tuple(
            comparison
            for metric in metrics
            for comparison in correct(compared(metric, pair, cases) for pair in pairs)
        ),
        strata=tuple(
            (stratum, comparison)
            for (stratum, _), comparison in zip(family, corrected, strict=True)
        ),
        moves=tuple(sorted(moves, key=lambda move: (move.after - move.before, move.case_id))),
        differing=_differing(a, b),
    )


def _told(comparison: Comparison) -> dict[str, Json]:
    return asdict(comparison) | {
        "distinguishable": comparison.distinguishable,
        "sentence": comparison.sentence(),
    }


def _shared(a: Report, b: Report) -> dict[str, Case]:
    """The cases that ask and judge the same in both."""
    before = {case.id: _asked(case) for case in a.cases}
    return {case.id: case for case in b.cases if before.get(case.id) == _asked(case)}


def _asked(case: Case) -> tuple[Any, ...]:
    return case.query, dict(case.relevant), set(case.exclude), case.expect_no_answer


def _pairs(a: Report, b: Report, wanted: tuple[str, str] | None) -> tuple[tuple[str, str], ...]:
    first, second = ([variant.name for variant in report.variants] for report in (a, b))
    if wanted is not None:
        for name, names in zip(wanted, (first, second), strict=True):
            if name not in names:
                raise InvalidInput(
                    f"There is no variant {name!r} in that report.",
                    next_action=f"It has: {', '.join(names)}.",
                )
        return (wanted,)
    if pairs := tuple((name, name) for name in first if name in second):
        return pairs
    if len(first) == len(second) == 1:
        return ((first[0], second[0]),)
    raise InvalidInput(
        f"The reports have no variant in common: {', '.join(first)} and {', '.join(second)}.",
        next_action="Name one of each with --variant-a and --variant-b.",
    )


def _moves(
    a: Report, b: Report, pair: tuple[str, str], metric: str, cases: Mapping[str, Case]
) -> list[Move]:
    before, after = (
        report.values.get(name, {}).get(metric, {})
        for report, name in zip((a, b), pair, strict=True)
    )
    rows = [
        {row.case_id: row for row in report.of_variant(name)}
        for report, name in zip((a, b), pair, strict=True)
    ]
    found = []
    for case_id, case in cases.items():
        old, new = before.get(case_id), after.get(case_id)
        if old is None or new is None or abs(new - old) <= TIE:
            continue
        ranks = [_rank(of.get(case_id), case) for of in rows]
        found.append(
            Move(
                variant=pair[1],
                case_id=case_id,
                query=case.query,
                stratum=case.stratum,
                before=old,
                after=new,
                rank_before=ranks[0],
                rank_after=ranks[1],
            )
        )
    return found


def _rank(row: Row | None, case: Case) -> int | None:
    return first_rank(distinct(row.sources, case.exclude), case.positives) if row else None


def _differing(a: Report, b: Report) -> dict[str, tuple[str, str]]:
    def facts(report: Report) -> dict[str, str]:
        return {
            "digest of set": report.set_digest,
            "split": report.split or "all",
            "seed": str(report.seed),
            "resamples": str(report.resamples),
            **{f"digest of {name}": value for name, value in report.digests.items()},
            **{f"version of {name}": value for name, value in report.versions.items()},
        }

    before, after = facts(a), facts(b)
    return {
        name: (before.get(name, ""), after.get(name, ""))
        for name in {**before, **after}
        if before.get(name) != after.get(name)
    }
