"""A report as plain values: sections of sentences, tables and figures, drawn by any surface."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from retrieval.types import Json

Tone = Literal["plain", "good", "bad", "quiet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Toned:
    """A text that says something good, or something that should be looked at."""

    text: str
    tone: Tone


Cell: TypeAlias = str | Toned


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column; numbers stand to the right, and a long text may wrap."""

    name: str
    numeric: bool = False
    wraps: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows below named columns. Where it is too wide, its first column is repeated."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """What a chart shows, in words and values; `eval_sets.report.charts` draws it."""

    title: str
    caption: str
    kind: Literal["strata", "differences", "moves", "latency", "history"]
    measure: str
    """What is on the axis of values, with its unit where it has one."""
    values: tuple[Mapping[str, Json], ...]


Block: TypeAlias = Cell | Table | Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Blocks below a title."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A report to be drawn."""

    title: str
    subtitle: str
    sections: tuple[Section, ...]


def text_of(cell: Cell) -> str:
    """The cell without its tone."""
    return cell if isinstance(cell, str) else cell.text


def tone_of(cell: Cell) -> Tone:
    """The cell's tone."""
    return "plain" if isinstance(cell, str) else cell.tone


def columns(*names: str) -> tuple[Column, ...]:
    """Columns from names: `#` before a name makes it numeric, `~` lets it wrap."""
    return tuple(
        Column(
            name=name[1:] if name[0] in "#~" else name,
            numeric=name[0] == "#",
            wraps=name[0] == "~",
        )
        for name in names
    )


def sections(*given: Section | None) -> Iterator[Section]:
    """Those that have something to show."""
    return (section for section in given if section is not None and section.blocks)
