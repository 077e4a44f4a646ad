"""What to judge first: the notes that could still decide between two variants.

Two variants are compared by a metric; a note that nobody judged counts as not relevant. For each
such note the comparison is scored again as if it were relevant, and the notes are ordered by how
far that moves the difference between the two. A note at the same rank in both moves nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from eval_sets.metrics import depth, distinct, first_rank, measure
from eval_sets.results import Report
from eval_sets.types import Case, Row
from retrieval.errors import InvalidInput

LEAST = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Unjudged:
    """A note that nobody judged for a query, and what a judgement could change."""

    case: Case
    source: str
    ranks: tuple[int | None, int | None]
    """1-based in both variants, within the metric's depth; None where it is not found."""
    now: float
    """The query's difference, second minus first variant, with the note as not relevant."""
    then: float
    """The same with the note as relevant."""

    @property
    def swing(self) -> float:
        """How much the query's difference could change."""
        return abs(self.then - self.now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """The notes to judge, the one that could change most first."""

    variants: tuple[str, str]
    metric: str
    grade: int
    """The grade that a relevant note is supposed to get."""
    difference: float | None
    """Mean difference, second minus first, over the queries that have a label; None without any."""
    queries: int
    """Queries that have a label: what the mean is over."""
    items: tuple[Unjudged, ...]
    """Where `swing` is 0 the note is left out."""

    @property
    def could_flip(self) -> bool:
        """True when one judgement a query could turn the mean difference around or decide a tie.

        More than one a query could do more; the best one of each is a fair first look.
        """
        if not self.difference:
            return bool(self.items)
        against = -1.0 if self.difference > 0 else 1.0
        gains: dict[str, float] = {}
        for item in self.items:
            gain = against * (item.then - item.now)
            gains[item.case.id] = max(gains.get(item.case.id, 0.0), gain)
        return sum(gains.values()) >= abs(self.difference) * self.queries


def judge_queue(
    report: Report,
    variants: tuple[str, str] | None = None,
    *,
    metric: str | None = None,
    grade: int = 2,
) -> Queue:
    """The unjudged notes on which two variants of a report differ, the most decisive first.

    `variants` are the first two of the report unless named, `metric` its first one. Queries that no
    note answers by their label are left out, and so is what a case excludes. Only the metric's
    depth is looked at (10 for a metric without `@k`).

    Raises `InvalidInput` when the report has no two such variants or the metric does not exist.
    """
    first, second = _pair(report, variants)
    name = metric or report.metrics[0]
    deep = depth([name]) or 10
    by_case = {row.case_id: row for row in report.of_variant(second)}
    cases = report.cases_by_id
    differences: list[float] = []
    items: list[Unjudged] = []
    for row in report.of_variant(first):
        case = cases[row.case_id]
        if case.expect_no_answer:
            continue
        rankings = (_ranking(row, case), _ranking(by_case[row.case_id], case))
        now = _difference(rankings, case.relevant, name)
        if now is not None:
            differences.append(now)
        items += _unjudged(case, rankings, metric=name, deep=deep, now=now or 0.0, grade=grade)
    items.sort(key=lambda item: (-item.swing, item.case.id, item.source))
    return Queue(
        variants=(first, second),
        metric=name,
        grade=grade,
        difference=sum(differences) / len(differences) if differences else None,
        queries=len(differences),
        items=tuple(items),
    )


def _unjudged(
    case: Case,
    rankings: tuple[Sequence[str], Sequence[str]],
    *,
    metric: str,
    deep: int,
    now: float,
    grade: int,
) -> Iterable[Unjudged]:
    tops = [ranking[:deep] for ranking in rankings]
    for source in dict.fromkeys([*tops[0], *tops[1]]):
        if source in case.relevant:
            continue
        then = _difference(rankings, {**case.relevant, source: grade}, metric)
        if then is not None and abs(then - now) > LEAST:
            ranks = (first_rank(tops[0], (source,)), first_rank(tops[1], (source,)))
            yield Unjudged(case=case, source=source, ranks=ranks, now=now, then=then)


def _difference(
    rankings: tuple[Sequence[str], Sequence[str]], grades: Mapping[str, int], metric: str
) -> float | None:
    first, second = (measure(metric)(ranking, grades) for ranking in rankings)
    return None if first is None or second is None else second - first


def _ranking(row: Row, case: Case) -> tuple[str, ...]:
    return distinct(row.sources, case.exclude)


def _pair(report: Report, variants: tuple[str, str] | None) -> tuple[str, str]:
    names = [variant.name for variant in report.variants]
    chosen = variants or tuple(names[:2])
    if len(set(chosen)) != 2 or not set(chosen) <= set(names):
        raise InvalidInput(
            "A queue compares two variants of the report.",
            next_action=f"Name two of: {', '.join(names)}.",
        )
    return chosen[0], chosen[1]
