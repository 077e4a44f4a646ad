"""The document of two reports compared."""

from collections.abc import Iterable

from eval_sets.report.differing import Move, ReportComparison
from eval_sets.report.document import (
    Block,
    Cell,
    Document,
    Section,
    Table,
    Toned,
    columns,
    sections,
)
from eval_sets.report.overview import COMPARISON_NOTE, comparison_table
from eval_sets.report.wording import DASH, first_of, number, signed

MOST_MOVES = 25


def build_difference(compared: ReportComparison, *, names: tuple[str, str]) -> Document:
    """What changed from one report to the other; `names` says which ones."""
    return Document(
        title=f"Evaluation of {compared.set_name}: B against A",
        subtitle=f"A: {names[0]} · B: {names[1]} · {compared.queries} queries in common",
        sections=tuple(
            sections(
                _findings(compared),
                _comparisons(compared),
                _strata(compared),
                _moved(compared),
                _differing(compared),
            )
        ),
    )


def moves_table(title: str, moves: Iterable[Move]) -> Table:
    """One query a line, with its score and the rank of its first relevant note."""
    return Table(
        title=title,
        columns=columns("query id", "variant", "#before", "#after", "#change", "#rank", "~query"),
        rows=tuple(
            (
                move.case_id,
                move.variant,
                number(move.before),
                number(move.after),
                _change(move),
                f"{move.rank_before or DASH} → {move.rank_after or DASH}",
                move.query,
            )
            for move in moves
        ),
    )


def _change(move: Move) -> Cell:
    change = move.after - move.before
    return Toned(text=signed(change), tone="good" if change > 0 else "bad")


def _findings(compared: ReportComparison) -> Section:
    blocks: list[Block] = [
        c.sentence() for c in compared.comparisons if c.metric == compared.metric
    ]
    if compared.left_out:
        blocks.append(
            Toned(
                text="Left out, as only one report has them or their labels changed: "
                f"{first_of(compared.left_out)}.",
                tone="bad",
            )
        )
    return Section(title="In short", blocks=tuple(blocks))


def _comparisons(compared: ReportComparison) -> Section:
    tables = [
        comparison_table(
            f"{after} against {before}",
            "metric",
            [(c.metric, c) for c in compared.comparisons if (c.a, c.b) == (before, after)],
        )
        for before, after in dict.fromkeys((c.a, c.b) for c in compared.comparisons)
    ]
    return Section(title="Comparisons", blocks=(COMPARISON_NOTE, *tables))


def _strata(compared: ReportComparison) -> Section:
    tables = [
        comparison_table(
            f"{after} against {before}",
            "stratum",
            [(name, c) for name, c in compared.strata if (c.a, c.b) == (before, after)],
        )
        for before, after in dict.fromkeys((c.a, c.b) for _, c in compared.strata)
    ]
    return Section(title=f"{compared.metric} by stratum", blocks=tuple(tables))


def _moved(compared: ReportComparison) -> Section:
    if not compared.moves:
        return Section(title="Queries that moved", blocks=("None.",))
    worse = [move for move in compared.moves if move.after < move.before]
    better = [move for move in reversed(compared.moves) if move.after > move.before]
    return Section(
        title=f"Queries that moved in {compared.metric}",
        blocks=tuple(
            moves_table(f"{len(moves)} {word}{_cut(len(moves))}", moves[:MOST_MOVES])
            for word, moves in (("worse", worse), ("better", better))
            if moves
        ),
    )


def _cut(count: int) -> str:
    return f", the first {MOST_MOVES}" if count > MOST_MOVES else ""


def _differing(compared: ReportComparison) -> Section:
    if not compared.differing:
        return Section(
            title="What else differs", blocks=("Nothing: same set, index, settings and versions.",)
        )
    return Section(
        title="What else differs",
        blocks=(
            Table(
                columns=columns("what", "~A", "~B"),
                rows=tuple(
                    (name, a or DASH, b or DASH) for name, (a, b) in compared.differing.items()
                ),
            ),
        ),
    )
