"""The parts of a report's document, as HTML between its figures; or why a part is not there."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from markupsafe import Markup

from eval_sets.report import closing, contract, overview
from eval_sets.report.document import Block, Cell, Figure, Section, Table, text_of, tone_of
from eval_sets.report.no_answer import no_answer
from eval_sets.results import Report
from workbench.presenters.markup import joined, tag

PartName = Literal["Scores", "Strata", "Filter", "Fallback", "No answer", "Details"]
PARTS: tuple[PartName, ...] = get_args(PartName)

Drawn = Markup | Figure
_Builder = Callable[[Report], Section | None]

_BUILDERS: Mapping[PartName, tuple[tuple[_Builder, str], ...]] = {
    "Scores": (
        (overview.scores, ""),
        (overview.comparisons, "Comparisons: – (one variant only, nothing to compare it with)."),
    ),
    "Strata": ((overview.strata, "By stratum: – (fewer than two strata have scored queries)."),),
    "Filter": (
        (
            contract.filtering,
            "Category filter: – (no variant of this run asks both layers with the filter on).",
        ),
    ),
    "Fallback": (
        (
            contract.fallback,
            "Fallback: – (not run: it needs a variant that asks both layers, and the faults).",
        ),
        (contract.merging, ""),
    ),
    "No answer": (
        (
            no_answer,
            "No answer: – (the queries asked are not of both kinds, with and without an answer).",
        ),
    ),
    "Details": (
        (closing.failures, "Failures: none."),
        (closing.latency, "Latency: – (no lookup was timed)."),
        (closing.provenance, ""),
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One section, ready to be drawn in order."""

    title: str
    blocks: tuple[Drawn, ...]


def present_part(report: Report, name: PartName) -> tuple[Part, ...]:
    """The sections of a part; one that the run has nothing for is its reason."""
    parts = []
    for build, reason in _BUILDERS[name]:
        section = build(report)
        if section is not None and section.blocks:
            parts.append(present_section(section))
        elif reason:
            parts.append(Part(title="", blocks=(tag("p", reason, css="kw-muted"),)))
    return tuple(parts)


def present_section(section: Section) -> Part:
    """The section with its sentences and tables as HTML."""
    return Part(title=section.title, blocks=tuple(_blocks(section.blocks)))


def present_sentences(blocks: Iterable[Block]) -> Markup:
    """The sentences among the blocks, as a list."""
    cells = (block for block in blocks if not isinstance(block, Figure | Table))
    items = [tag("li", text_of(cell), css=_tone(cell)) for cell in cells]
    return tag("ul", joined(items), css="kw-list kw-findings")


def _blocks(blocks: Iterable[Block]) -> Iterable[Drawn]:
    for block in blocks:
        if isinstance(block, Figure):
            yield block
        elif isinstance(block, Table):
            yield _table(block)
        else:
            yield tag("p", text_of(block), css=f"kw-note {_tone(block)}".strip())


def _table(table: Table) -> Markup:
    head = tag("tr", joined([tag("th", c.name, css=_column(c.numeric)) for c in table.columns]))
    rows = [
        tag(
            "tr",
            joined(
                [
                    tag("td", text_of(cell), css=f"{_column(c.numeric)} {_tone(cell)}".strip())
                    for c, cell in zip(table.columns, row, strict=True)
                ]
            ),
        )
        for row in table.rows
    ]
    body = tag("table", tag("thead", head), tag("tbody", joined(rows)), css="kw-table")
    title = tag("h4", table.title) if table.title else ""
    return tag("div", title, body, css="kw-scroll")


def _column(numeric: bool) -> str:
    return "kw-right" if numeric else ""


def _tone(cell: Cell) -> str:
    """The class of a cell's tone."""
    tone = tone_of(cell)
    return "" if tone == "plain" else f"kw-{tone}"
