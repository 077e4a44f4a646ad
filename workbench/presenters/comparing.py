"""Two answers to one query, aligned by note, with how each note's rank moved."""

from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from retrieval.types import EvidenceBlock, LookupResult
from workbench.presenters.cards import reason_chip, snippet
from workbench.presenters.markup import chip, joined, tag
from workbench.presenters.numbers import counted, decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Aligned:
    """One note in both answers; a rank is 1-based, None where the note is not in the answer."""

    source: str
    title: str
    left: int | None
    right: int | None

    @property
    def moved(self) -> int | None:
        """Ranks that the note rose from left to right (negative: fell); None if it is in one."""
        return None if self.left is None or self.right is None else self.left - self.right


def align(left: LookupResult, right: LookupResult) -> list[Aligned]:
    """Every note of either answer once, by its better rank, those of the left first."""
    ranks = [_ranks(left), _ranks(right)]
    titles = {b.source: b.title for b in (*right.evidence_blocks, *left.evidence_blocks)}
    rows = [
        Aligned(
            source=source,
            title=titles[source],
            left=ranks[0].get(source),
            right=ranks[1].get(source),
        )
        for source in titles
    ]
    last = len(rows) + 1
    return sorted(rows, key=lambda r: (min(r.left or last, r.right or last), r.left or last))


def summarise(rows: list[Aligned]) -> str:
    """What changed, in one sentence."""
    gained = sum(row.left is None for row in rows)
    lost = sum(row.right is None for row in rows)
    moved = sum(bool(row.moved) for row in rows)
    if not rows:
        return "Neither finds a note."
    if not gained + lost + moved:
        return f"Both find the same {counted(len(rows), 'note')} in the same order."
    parts = [
        f"{counted(number, 'note')} {what}"
        for number, what in ((gained, "only in B"), (lost, "only in A"), (moved, "moved"))
        if number
    ]
    return f"{', '.join(parts)}; {counted(len(rows), 'note')} in all."


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedNote:
    """One note of a comparison, to be drawn above what can be done with it."""

    block: EvidenceBlock
    """The note's block in A, else in B."""
    html: Markup
    """A table of one row: the note in A, how it moved, the note in B."""


def present_comparison(left: LookupResult, right: LookupResult) -> Iterator[ComparedNote]:
    """The two answers aligned: one item a note, by its better rank, made when it is asked for."""
    found = [{b.source: b for b in r.evidence_blocks} for r in (left, right)]
    head = tag("tr", tag("th", "A"), tag("th", "moved", css="kw-move"), tag("th", "B"))
    for row in align(left, right):
        cells = tag(
            "tr",
            tag("td", block_cell(row.left, found[0].get(row.source), left.query)),
            tag("td", movement_chip(row), css="kw-move"),
            tag("td", block_cell(row.right, found[1].get(row.source), right.query)),
        )
        table = tag("table", tag("thead", head), tag("tbody", cells), css="kw-compare kw-alone")
        block = found[0].get(row.source) or found[1][row.source]
        yield ComparedNote(block=block, html=table)


def _ranks(result: LookupResult) -> dict[str, int]:
    return {block.source: rank for rank, block in enumerate(result.evidence_blocks, 1)}


def block_cell(rank: int | None, block: EvidenceBlock | None, query: str) -> Markup:
    """One block in a few lines; says so where the answer does not have the note."""
    if block is None:
        return tag("span", "not in this answer", css="kw-muted")
    marks = [chip(block.retrieval_layer)]
    if block.relaxed:
        marks.append(chip("past the filter", tone="warn"))
    return joined(
        [
            tag(
                "div",
                tag("span", str(rank), css="kw-rank"),
                tag("span", block.title, css="kw-strong"),
                tag("span", decimal(block.score), css="kw-score"),
                css="kw-line",
            ),
            tag("div", tag("code", block.source), css="kw-place"),
            tag("div", joined(marks), joined([reason_chip(r) for r in block.hit_reasons])),
            tag("div", snippet(block, query), css="kw-muted"),
        ]
    )


def movement_chip(row: Aligned) -> Markup:
    """How the note's rank moved from left to right."""
    if row.left is None:
        return chip("new", tone="good", title="only in B")
    if row.right is None:
        return chip("gone", tone="bad", title="only in A")
    moved = row.left - row.right
    if not moved:
        return tag("span", "=", css="kw-muted", title="same rank")
    return chip(
        f"{'▲' if moved > 0 else '▼'} {abs(moved)}",
        tone="good" if moved > 0 else "warn",
        title=f"from rank {row.left} to rank {row.right}",
    )
