"""Two variants' answers to one labelled query, aligned by note, with the labels' grades."""

from collections.abc import Mapping

from markupsafe import Markup

from eval_sets.types import Case
from retrieval.types import EvidenceBlock, LookupResult
from workbench.presenters.comparing import Aligned, align, block_cell, movement_chip
from workbench.presenters.markup import chip, joined, tag
from workbench.presenters.numbers import counted

SHOWN = 10
"""Ranks that are shown of each answer; labelled notes are shown wherever they are."""


def present_pair(
    case: Case,
    left: LookupResult,
    right: LookupResult,
    *,
    names: tuple[str, str],
    titles: Mapping[str, str],
) -> Markup:
    """One table: left answer, movement and grade, right answer; one row a note.

    Notes beyond the first ten of both are left out unless they have a label. Labelled notes that
    neither found follow at the end; `titles` names them.
    """
    blocks = [{b.source: b for b in result.evidence_blocks} for result in (left, right)]
    rows = [row for row in align(left, right) if _is_shown(row, case)]
    found = {row.source for row in rows}
    lines = [_row(row, case, blocks, left.query) for row in rows]
    lines += [
        _row(Aligned(source=source, title=title, left=None, right=None), case, blocks, left.query)
        for source in case.positives
        if source not in found
        for title in (titles.get(source, source),)
    ]
    if not lines:
        return tag("p", "Neither finds a note, and none is labelled.", css="kw-muted")
    head = tag(
        "tr", tag("th", names[0]), tag("th", "grade, move", css="kw-move"), tag("th", names[1])
    )
    return tag("table", tag("thead", head), tag("tbody", joined(lines)), css="kw-compare")


def present_labels(case: Case) -> str:
    """What the labels of a query say, in a sentence."""
    if case.expect_no_answer:
        return "Labelled: no note answers it."
    if not case.judged:
        return "Not judged."
    relevant = counted(len(case.positives), "relevant note")
    excluded = f"; {counted(len(case.exclude), 'note')} left out" if case.exclude else ""
    return f"Labelled: {relevant}{excluded}."


def _is_shown(row: Aligned, case: Case) -> bool:
    ranks = [rank for rank in (row.left, row.right) if rank is not None]
    return min(ranks) <= SHOWN or row.source in case.relevant


def _row(row: Aligned, case: Case, blocks: list[dict[str, EvidenceBlock]], query: str) -> Markup:
    grade = case.relevant.get(row.source)
    missing = row.left is None and row.right is None
    if missing:
        both = tag("td", *_unfound(row), css="kw-unfound")
        return tag("tr", both, tag("td", _grade(grade), css="kw-move"), tag("td", "not found"))
    return tag(
        "tr",
        tag("td", block_cell(row.left, blocks[0].get(row.source), query)),
        tag("td", _grade(grade), tag("div", movement_chip(row)), css="kw-move"),
        tag("td", block_cell(row.right, blocks[1].get(row.source), query)),
        css="kw-relevant" if grade else "",
    )


def _unfound(row: Aligned) -> tuple[Markup, ...]:
    return (
        tag("div", row.title, css="kw-strong"),
        tag("div", tag("code", row.source), css="kw-place"),
        tag("div", "not found", css="kw-muted"),
    )


def _grade(grade: int | None) -> Markup:
    if grade is None:
        return tag("div", "–", css="kw-muted", title="not judged")
    if grade <= 0:
        return tag("div", chip("not relevant", tone="bad", title=f"grade {grade}"))
    return tag("div", chip(f"grade {grade}", tone="good", title="relevant"))
