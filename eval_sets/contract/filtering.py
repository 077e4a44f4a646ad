"""What the derived category filter did: how often it fired, where it routed, what it cost."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from eval_sets.metrics import distinct, score_row
from eval_sets.rows import mean
from eval_sets.types import Case, Mean, Row
from retrieval.text import fold

Categories = Mapping[str, Sequence[str]]
"""Source → categories of the note."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankMove:
    """How one touched query fared with the filter (`after`) and without it (`before`)."""

    case_id: str
    category: str
    ranks: Mapping[str, tuple[int | None, int | None]]
    """Relevant source → its rank before and after, None where it was not found."""
    score_before: float
    score_after: float

    @property
    def change(self) -> float:
        return self.score_after - self.score_before


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterMetrics:
    """The filter's account over one variant."""

    fire_rate: Mean
    """Share of the queries with a derived filter."""
    route_accuracy: Mean
    """Share of the fired filters that named a right category, over those with a label for it."""
    agreement: Mean
    """Share of the queries with an `expect_filter` that was met."""
    recall_ceiling: float | None
    """1 - f · (1 - a): the recall that is left when a wrong route hides everything."""
    ceiling: Mean
    """Share of the relevant notes inside the filter, by query; needs the notes' categories."""
    relaxed_rate: Mean
    """Share of the fired filters past which at least one block was let in."""
    change: Mean
    """Mean change of the measure on touched queries only; needs the unfiltered rows."""
    harmed: tuple[RankMove, ...]
    """Touched queries whose score fell, worst first."""
    helped: tuple[RankMove, ...]
    """Touched queries whose score rose, best first."""


def filter_metrics(
    rows: Sequence[Row],
    cases: Mapping[str, Case],
    *,
    unfiltered: Iterable[Row] = (),
    categories: Categories | None = None,
    metric: str = "nDCG@10",
) -> FilterMetrics:
    """The filter's account; `unfiltered` are the rows of the same variant with the filter off.

    A category is right when it is the case's `expected_category`. Where the case names none, it is
    right when a relevant note has it, and without `categories` that query has no label. A
    failed row has no filter decision and counts in no share, only in its `of`.
    """
    fired = [(row, category) for row in rows if (category := _category(row)) is not None]
    fire_rate = mean(float(_category(row) is not None) if row.filter else None for row in rows)
    accuracy = mean(_is_right(category, cases[row.case_id], categories) for row, category in fired)
    moves = _moves(fired, cases, {row.case_id: row for row in unfiltered}, metric)
    return FilterMetrics(
        fire_rate=fire_rate,
        route_accuracy=accuracy,
        agreement=mean(as_expected(row, cases[row.case_id]) for row in rows),
        recall_ceiling=_recall_ceiling(fire_rate, accuracy),
        ceiling=mean(_left_inside(row, cases[row.case_id], categories) for row in rows),
        relaxed_rate=mean(float(row.relaxed > 0) for row, _ in fired),
        change=mean(
            moves[row.case_id].change if row.case_id in moves else None for row, _ in fired
        ),
        harmed=tuple(sorted((m for m in moves.values() if m.change < 0), key=_change)),
        helped=tuple(sorted((m for m in moves.values() if m.change > 0), key=_change))[::-1],
    )


def _category(row: Row) -> str | None:
    return row.filter.category if row.filter else None


def _change(move: RankMove) -> tuple[float, str]:
    return move.change, move.case_id


def as_expected(row: Row, case: Case) -> float | None:
    """1.0 when the derived filter applied as the case expects, else 0.0; None without a label."""
    if row.filter is None or case.expect_filter == "any":
        return None
    return float((_category(row) is not None) == (case.expect_filter == "applied"))


def _is_right(category: str, case: Case, categories: Categories | None) -> float | None:
    if case.expected_category is not None:
        return float(fold(category) == fold(case.expected_category))
    if categories is None or not case.positives:
        return None
    return float(any(fold(category) in _folded(categories, s) for s in case.positives))


def _left_inside(row: Row, case: Case, categories: Categories | None) -> float | None:
    if categories is None or row.filter is None or not case.positives:
        return None
    if (category := _category(row)) is None:
        return 1.0
    inside = sum(fold(category) in _folded(categories, source) for source in case.positives)
    return inside / len(case.positives)


def _folded(categories: Categories, source: str) -> set[str]:
    return {fold(category) for category in categories.get(source, ())}


def _recall_ceiling(fire_rate: Mean, accuracy: Mean) -> float | None:
    if fire_rate.value is None:
        return None
    if fire_rate.value == 0:
        return 1.0
    return None if accuracy.value is None else 1 - fire_rate.value * (1 - accuracy.value)


def _moves(
    fired: Iterable[tuple[Row, str]],
    cases: Mapping[str, Case],
    before: Mapping[str, Row],
    metric: str,
) -> dict[str, RankMove]:
    moves: dict[str, RankMove] = {}
    for row, category in fired:
        case, other = cases[row.case_id], before.get(row.case_id)
        if other is None:
            continue
        score_before = score_row(other, case, (metric,))[metric]
        score_after = score_row(row, case, (metric,))[metric]
        if score_before is None or score_after is None:
            continue
        ranks_before, ranks_after = _ranks(other, case), _ranks(row, case)
        moves[case.id] = RankMove(
            case_id=case.id,
            category=category,
            ranks={s: (ranks_before.get(s), ranks_after.get(s)) for s in case.positives},
            score_before=score_before,
            score_after=score_after,
        )
    return moves


def _ranks(row: Row, case: Case) -> dict[str, int]:
    return {source: i for i, source in enumerate(distinct(row.sources, case.exclude), start=1)}
