"""A report in a terminal: at most its width, and 80 columns in a file."""

from collections.abc import Iterator, Sequence
from typing import TextIO

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from eval_sets.report.document import Cell, Column, Document, Figure, Table, text_of, tone_of
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
            box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, _GAP // 2)
        )
        for index in part:
            column = table.columns[index]
            drawn.add_column(
                Text(plain(column.name)),
                justify="right" if column.numeric else "left",
                overflow="fold",
                min_width=min(_LEAST, _width(table, index)) if column.wraps else None,
                no_wrap=not column.wraps and _width(table, index) < console.width,
            )
        for row in table.rows:
            drawn.add_row(*(_text(row[index]) for index in part))
        console.print(drawn)


def _parts(table: Table, width: int) -> Iterator[Sequence[int]]:
    """Indices of the columns of each part: the first column, and as many others as fit."""
    first = min(_width(table, 0), width // 2) + _GAP
    part, used = [0], first
    for index, column in enumerate(table.columns[1:], start=1):
        natural = _width(table, index)
        needed = (min(natural, _LEAST) if column.wraps else natural) + _GAP
        if used + needed > width and len(part) > 1:
            yield part
            part, used = [0], first
        part.append(index)
        used += needed
    yield part


def _width(table: Table, index: int) -> int:
    column: Column = table.columns[index]
    cells = [column.name, *(text_of(row[index]) for row in table.rows)]
    return max(cell_len(plain(cell)) for cell in cells)


def _text(cell: Cell) -> Text:
    return Text(plain(text_of(cell)), style=_STYLES[tone_of(cell)])
