"""A report in a terminal: at most its width, and 80 columns in a file."""

from collections.abc import Iterator, Sequence
from typing import TextIO

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from eval_sets.report.document import Cell, Document, Figure, Table, text_of, tone_of
from retrieval.console import plain

WIDEST = 120
_GAP = 2
_LEAST = 16
"""Columns that a wrapping column keeps at least."""
_STYLES = {"plain": "", "good": "green", "bad": "bold red", "quiet": "dim"}


def print_document(
    document: Document, *, file: TextIO | None = None, width: int | None = None
) -> None:
    """Writes the report to the terminal, or to `file`; figures are left to the other surfaces."""
    console = Console(file=file, width=width, markup=False, highlight=False, emoji=False)
    console.width = min(console.width, WIDEST)
    console.print(Text(plain(document.title), style="bold"))
    if document.subtitle:
        console.print(_text(document.subtitle))
    for section in document.sections:
        console.print()
        console.print(Text(plain(section.title), style="bold underline"))
        for block in section.blocks:
            if isinstance(block, Figure):
                continue
            if isinstance(block, Table):
                _print_table(block, console)
            else:
                console.print(_text(block))


def _print_table(table: Table, console: Console) -> None:
    if table.title:
        console.print()
        console.print(Text(plain(table.title), style="italic"))
    for part in _parts(table, console.width):
        drawn = RichTable(
            box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, _GAP - 1, 0, 0)
        )
        for index, width in zip(part, _widths(table, part, console.width), strict=True):
            column = table.columns[index]
            drawn.add_column(
                Text(plain(column.name)),
                justify="right" if column.numeric else "left",
                overflow="fold",
                width=width,
            )
        for row in table.rows:
            drawn.add_row(*(_text(row[index]) for index in part))
        console.print(drawn)


def _parts(table: Table, width: int) -> Iterator[Sequence[int]]:
    """Indices of the columns of each part: the first column, and as many others as fit."""
    first = _least(table, 0, width)
    part, used = [0], first
    for index in range(1, len(table.columns)):
        needed = _least(table, index, width) + _GAP
        if used + needed > width and len(part) > 1:
            yield part
            part, used = [0], first
        part.append(index)
        used += needed
    yield part


def _widths(table: Table, part: Sequence[int], width: int) -> list[int]:
    """The width of each column: what it needs at least, then what is left, to the right first."""
    widths = [_least(table, index, width) for index in part]
    left = width - sum(widths) - _GAP * (len(part) - 1)
    for place in reversed(range(len(part))):
        more = min(max(_natural(table, part[place]) - widths[place], 0), max(left, 0))
        widths[place] += more
        left -= more
    return widths


def _least(table: Table, index: int, width: int) -> int:
    """Columns for every cell on one line, and for each word of the header."""
    column = table.columns[index]
    header = max((cell_len(word) for word in plain(column.name).split()), default=1)
    most = _LEAST if column.wraps else width // 2
    return max(min(header, most), min(_longest(table, index), most))


def _natural(table: Table, index: int) -> int:
    return max(cell_len(plain(table.columns[index].name)), _longest(table, index))


def _longest(table: Table, index: int) -> int:
    return max((cell_len(plain(text_of(row[index]))) for row in table.rows), default=1)


def _text(cell: Cell) -> Text:
    return Text(plain(text_of(cell)), style=_STYLES[tone_of(cell)])
