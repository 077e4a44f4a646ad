"""The queries of a report under one metric, two variants beside each other."""

from collections.abc import Sequence
from dataclasses import dataclass

from eval_sets.metrics import distinct, first_rank
from eval_sets.results import Report
from eval_sets.statistics.resampling import TIE
from eval_sets.types import Case, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryLine:
    """One query; what is None was not measured, and `remark` says why."""

    case_id: str
    query: str
    stratum: str
    left: float | None
    right: float | None
    difference: float | None
    """Right minus left."""
    rank_left: int | None
    """Rank of the first relevant note, None where it was not found."""
    rank_right: int | None
    remark: str


def present_lines(
    report: Report,
    metric: str,
    left: str,
    right: str,
    *,
    strata: Sequence[str] = (),
    changed: bool = False,
) -> list[QueryLine]:
    """The queries, those that `right` does worst on against `left` first, unscored ones last.

    `strata` keeps only theirs (empty: all), `changed` only those with another score.
    """
    rows = {name: {row.case_id: row for row in report.of_variant(name)} for name in (left, right)}
    lines = [
        _line(report, metric, case, (left, right), (rows[left][case.id], rows[right][case.id]))
        for case in report.cases
        if not strata or case.stratum in strata
    ]
    if changed:
        lines = [line for line in lines if abs(line.difference or 0) > TIE]
    return sorted(lines, key=_order)


def _line(
    report: Report, metric: str, case: Case, names: tuple[str, str], rows: tuple[Row, Row]
) -> QueryLine:
    left, right = (report.values[name].get(metric, {}).get(case.id) for name in names)
    ranks = [first_rank(distinct(row.sources, case.exclude), case.positives) for row in rows]
    return QueryLine(
        case_id=case.id,
        query=case.query,
        stratum=case.stratum or "(none)",
        left=left,
        right=right,
        difference=None if left is None or right is None else right - left,
        rank_left=ranks[0],
        rank_right=ranks[1],
        remark=_remark(case, names, rows),
    )


def _remark(case: Case, names: tuple[str, str], rows: tuple[Row, Row]) -> str:
    """What went wrong or why there is no score; empty when there is nothing to say."""
    told = []
    for name, row in dict(zip(names, rows, strict=True)).items():
        if row.status == "failed":
            told.append(f"{name} failed: {row.error.code if row.error else 'unknown'}")
        elif not row.ranking:
            told.append(f"{name} found nothing")
    if not case.judged:
        told.append("not judged")
    elif case.expect_no_answer:
        told.append("no answer expected: not ranked")
    return "; ".join(told)


def _order(line: QueryLine) -> tuple[bool, float]:
    return line.difference is None, line.difference or 0.0
