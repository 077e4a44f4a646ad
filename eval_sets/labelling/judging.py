"""Judgements: what a person says about a query and a note, written into a labelled set.

Each function changes one case, the one whose query is the same when folded, or adds it. It gives
the new token of the file; a caller that showed labels to a person hands back the token that it read
with them, and nothing is written over what someone else changed meanwhile. What else may be said
stands in `About`.
"""

import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from eval_sets.labelling.editing import (
    About,
    Fields,
    Judged,
    edit_case,
    find_record,
    usable_case,
)
from eval_sets.labelling.lines import key_of, read_lines
from eval_sets.loading import find_sources, read_about
from eval_sets.schema import MAX_GRADE
from eval_sets.types import Case
from retrieval.errors import InvalidInput, UnknownSource
from retrieval.knowledge import offer_sources

NOT_RELEVANT, PARTLY, RELEVANT = 0, 1, 2
"""The grades of a set that has no others. 0 is a judgement too: read and found not relevant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgements:
    """What a set says about one query."""

    case: Case | None
    """None when no case asks this query."""
    token: str
    """Hand it back with the judgement that a person makes on seeing this."""


def read_judgements(folder: Path, query: str, *, case_id: str | None = None) -> Judgements:
    """The case of a set that asks this query, compared folded, and the token of the file.

    Raises `SetError` when the file or the case is not usable, `InvalidInput` when several cases
    ask this query and none is named.
    """
    lines = read_lines(folder)
    found = find_record(lines, query, case_id)
    return Judgements(
        case=None if found is None else usable_case(folder, *found), token=lines.token
    )


def grade_scale(folder: Path) -> dict[str, int]:
    """The grades for `relevant`, `partly` and `not` in this set.

    `relevant` is the highest grade that the set uses, at least 2, so that new labels weigh as much
    as those that are there.
    """
    used = [
        grade
        for _, fields in read_lines(folder).records()
        if isinstance(grades := fields.get("relevant"), dict)
        for grade in grades.values()
        if isinstance(grade, int) and grade <= MAX_GRADE
    ]
    return {"relevant": max([RELEVANT, *used]), "partly": PARTLY, "not": NOT_RELEVANT}


def judge(folder: Path, query: str, source: str, grade: int, **about: Unpack[About]) -> Judged:
    """Says how relevant a note is to a query: 0 is not relevant, more is better.

    Raises `SetChanged` when the file is not the one of `token`, `UnknownSource` for a note that the
    set's knowledge base does not have, `EmptyQuery`, and `InvalidInput` for a grade out of range, a
    source that the case excludes, a relevant note where no answer is expected, a bundled set, and
    a query that several cases ask when none is named.
    """
    if isinstance(grade, bool) or not isinstance(grade, int) or not 0 <= grade <= MAX_GRADE:
        raise InvalidInput(
            f"The grade {grade!r} is not usable.",
            next_action=f"Grades are whole numbers from 0 (not relevant) to {MAX_GRADE}.",
        )
    source = _known(folder, source)

    def change(fields: Fields) -> None:
        if source in _nfc(fields.get("exclude", ())):
            raise InvalidInput(
                f"{source} is left out of the ranking of this query.",
                next_action="Let it in again first, then judge it.",
            )
        if grade and fields.get("expect_no_answer"):
            raise InvalidInput(
                "This query is labelled as one that no note answers.",
                next_action="Take that label back first, then judge the note.",
            )
        grades = dict(fields.get("relevant", {}))
        grades[key_of(grades, source)] = grade
        fields["relevant"] = grades

    return edit_case(folder, query, change, touched=(source,), **about)


def mark_no_answer(
    folder: Path, query: str, expected: bool = True, **about: Unpack[About]
) -> Judged:
    """Says that no note answers the query, or takes that back.

    Raises as `judge`; `InvalidInput` while a note is judged relevant.
    """

    def change(fields: Fields) -> None:
        positives = [source for source, grade in fields.get("relevant", {}).items() if grade]
        if expected and positives:
            raise InvalidInput(
                f"Notes are judged relevant to this query: {', '.join(positives)}.",
                next_action="Judge them as not relevant first, or remove their judgements.",
            )
        fields["expect_no_answer"] = expected

    return edit_case(folder, query, change, **about)


def exclude_source(
    folder: Path, query: str, source: str, excluded: bool = True, **about: Unpack[About]
) -> Judged:
    """Takes a note out of the query's ranking before it is scored, or lets it in again.

    For notes that are no fair answer, such as the page that the query was taken from. A judgement
    of the note is dropped. Raises as `judge`.
    """
    source = _known(folder, source) if excluded else unicodedata.normalize("NFC", source)

    def change(fields: Fields) -> None:
        grades = dict(fields.get("relevant", {}))
        kept = [name for name in fields.get("exclude", ()) if _nfc([name]) != [source]]
        if excluded:
            grades.pop(key_of(grades, source), None)
            fields["relevant"] = grades
        fields["exclude"] = [*kept, source] if excluded else kept

    return edit_case(folder, query, change, touched=(source,), **about)


def remove_judgement(
    folder: Path,
    query: str,
    source: str,
    *,
    token: str | None = None,
    case_id: str | None = None,
) -> Judged:
    """Makes a note unjudged for the query; also one that is no note any more.

    A case that `judge` made and that says nothing any more is removed. Raises `InvalidInput` when
    there is no such judgement, and as `judge`.
    """

    def change(fields: Fields) -> None:
        grades = dict(fields.get("relevant", {}))
        if key_of(grades, source) not in grades:
            raise InvalidInput(
                f"{source} has no judgement for this query.",
                next_action="See the case: `read_judgements`, or the line in cases.jsonl.",
            )
        del grades[key_of(grades, source)]
        fields["relevant"] = grades

    return edit_case(folder, query, change, removes=True, token=token, case_id=case_id)


def _known(folder: Path, source: str) -> str:
    """The source as the knowledge base names it."""
    source = unicodedata.normalize("NFC", source)
    sources = find_sources(read_about(folder)[1])[1]
    if source in sources:
        return source
    raise UnknownSource(
        f"There is no note {source!r} in the knowledge base of this set.",
        next_action=offer_sources(source, sources),
    )


def _nfc(names: Any) -> list[str]:
    return [unicodedata.normalize("NFC", name) for name in names]
