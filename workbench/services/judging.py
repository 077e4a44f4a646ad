"""Judgements of the person at the screen, written into a labelled set of this knowledge base."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from eval_sets.labelling import (
    SetSummary,
    grade_scale,
    judge,
    list_sets,
    mark_no_answer,
    read_judgements,
    remove_judgement,
    writable_set,
)
from retrieval.knowledge_base import KnowledgeBase

Grade = Literal["relevant", "partly", "not"]
GRADES: tuple[Grade, ...] = get_args(Grade)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What a set says about one query, as it was read for a person to judge."""

    folder: Path
    query: str
    grades: Mapping[str, Grade]
    """Source → judgement; sources that nobody judged are not there."""
    no_answer: bool
    """True when the query is labelled as one that no note answers."""
    token: str
    """Proof of what was read: nothing is written when the set changed since."""


def sets_to_judge(base: KnowledgeBase) -> tuple[SetSummary, ...]:
    """The labelled sets of this knowledge base that can be read."""
    return tuple(summary for summary in list_sets(base) if summary.problem is None)


def read_sheet(folder: Path, query: str) -> Sheet:
    """The judgements of one query. Raises `SetError`, and `InvalidInput` for a doubled query."""
    found = read_judgements(folder, query)
    highest = grade_scale(folder)["relevant"]
    relevant = found.case.relevant if found.case else {}
    return Sheet(
        folder=folder,
        query=query,
        grades={source: _word(grade, highest) for source, grade in relevant.items()},
        no_answer=bool(found.case and found.case.expect_no_answer),
        token=found.token,
    )


def write_grade(
    base: KnowledgeBase,
    sheet: Sheet,
    source: str,
    grade: Grade | None,
    *,
    judged_by: str = "",
    origin: str = "workbench",
) -> None:
    """Writes one judgement; None takes it back. A bundled set is copied first.

    Raises `SetChanged` when someone else changed the set since the sheet was read, and what
    `eval_sets.labelling.judge` raises.
    """
    folder = writable_set(sheet.folder, base)
    if grade is None:
        remove_judgement(folder, sheet.query, source, token=sheet.token)
        return
    judge(
        folder,
        sheet.query,
        source,
        grade_scale(folder)[grade],
        judged_by=judged_by,
        origin=origin,
        token=sheet.token,
    )


def write_no_answer(
    base: KnowledgeBase,
    sheet: Sheet,
    expected: bool,
    *,
    judged_by: str = "",
    origin: str = "workbench",
) -> None:
    """Says that no note answers the query, or takes that back. Raises as `write_grade`."""
    mark_no_answer(
        writable_set(sheet.folder, base),
        sheet.query,
        expected,
        judged_by=judged_by,
        origin=origin,
        token=sheet.token,
    )


def _word(grade: int, highest: int) -> Grade:
    if grade <= 0:
        return "not"
    return "relevant" if grade >= highest or grade > 1 else "partly"
