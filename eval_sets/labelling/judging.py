"""Judgements: what a person says about a query and a note, written into a labelled set.

Each function changes one case, the one whose query is the same when folded, or adds it. It gives
the new token of the file; a caller that showed labels to a person hands back the token that it read
with them, and nothing is written over what someone else changed meanwhile.
"""

import difflib
import hashlib
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from eval_sets.errors import Problem, SetError
from eval_sets.labelling.lines import (
    CaseLines,
    check_token,
    checked_case,
    editing,
    key_of,
    read_lines,
    write_lines,
)
from eval_sets.labelling.places import is_bundled
from eval_sets.loading import CASES_NAME, find_sources, read_about
from eval_sets.schema import MAX_GRADE, case_fields
from eval_sets.types import Case, Split
from retrieval.errors import EmptyQuery, InvalidInput, UnknownSource
from retrieval.text import fold, is_blank

NOT_RELEVANT, PARTLY, RELEVANT = 0, 1, 2
"""The grades of a set that has no others. 0 is a judgement too: read and found not relevant."""

_Fields = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgements:
    """What a set says about one query."""

    case: Case | None
    """None when no case asks this query."""
    token: str
    """Hand it back with the judgement that a person makes on seeing this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What a judgement did to a set."""

    folder: Path
    case: Case | None
    """The case as it stands now; None when nothing is left of it."""
    before: Case | None
    """The case as it stood; None when it was added."""
    token: str
    """Of the file as it is now."""


def read_judgements(folder: Path, query: str, *, case_id: str | None = None) -> Judgements:
    """The case of a set that asks this query, compared folded, and the token of the file.

    Raises `SetError` when the file or the case is not usable, `InvalidInput` when several cases
    ask this query and none is named.
    """
    lines = read_lines(folder)
    found = _find(lines, query, case_id)
    case = None if found is None else _usable(folder, found[0], found[1])
    return Judgements(case=case, token=lines.token)


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


def judge(
    folder: Path,
    query: str,
    source: str,
    grade: int,
    *,
    judged_by: str = "",
    note: str = "",
    origin: str = "judged",
    stratum: str = "",
    split: Split = "test",
    at: datetime | None = None,
    token: str | None = None,
    case_id: str | None = None,
) -> Judged:
    """Says how relevant a note is to a query: 0 is not relevant, more is better.

    `origin`, `stratum` and `split` are written into a new case only. `judged_by` and `note` are
    added to what stands there; `judged_at` is the time of the last judgement (`at`, else now).

    Raises `SetChanged` when the file is not the one of `token`, `UnknownSource` for a note that the
    set's knowledge base does not have, `InvalidInput` for a grade out of range, a source that the
    case excludes, a relevant note where no answer is expected, and a bundled set.
    """
    if isinstance(grade, bool) or not isinstance(grade, int) or not 0 <= grade <= MAX_GRADE:
        raise InvalidInput(
            f"The grade {grade!r} is not usable.",
            next_action=f"Grades are whole numbers from 0 (not relevant) to {MAX_GRADE}.",
        )
    source = _known(folder, source)

    def change(fields: _Fields) -> None:
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

    fresh = {"origin": origin, "stratum": stratum, "split": split}
    return _edit(
        folder,
        query,
        change,
        fresh=fresh,
        token=token,
        case_id=case_id,
        judged_by=judged_by,
        note=note,
        at=at,
    )


def mark_no_answer(
    folder: Path,
    query: str,
    expected: bool = True,
    *,
    judged_by: str = "",
    note: str = "",
    origin: str = "judged",
    stratum: str = "",
    split: Split = "test",
    at: datetime | None = None,
    token: str | None = None,
    case_id: str | None = None,
) -> Judged:
    """Says that no note answers the query, or takes that back.

    Raises as `judge`; `InvalidInput` while a note is judged relevant.
    """

    def change(fields: _Fields) -> None:
        positives = [source for source, grade in fields.get("relevant", {}).items() if grade]
        if expected and positives:
            raise InvalidInput(
                f"Notes are judged relevant to this query: {', '.join(positives)}.",
                next_action="Judge them as not relevant first, or remove their judgements.",
            )
        fields["expect_no_answer"] = expected

    fresh = {"origin": origin, "stratum": stratum, "split": split}
    return _edit(
        folder,
        query,
        change,
        fresh=fresh,
        token=token,
        case_id=case_id,
        judged_by=judged_by,
        note=note,
        at=at,
    )


def exclude_source(
    folder: Path,
    query: str,
    source: str,
    excluded: bool = True,
    *,
    judged_by: str = "",
    note: str = "",
    origin: str = "judged",
    stratum: str = "",
    split: Split = "test",
    at: datetime | None = None,
    token: str | None = None,
    case_id: str | None = None,
) -> Judged:
    """Takes a note out of the query's ranking before it is scored, or lets it in again.

    For notes that are no fair answer, such as the page that the query was taken from. A judgement
    of the note is dropped. Raises as `judge`.
    """
    source = _known(folder, source) if excluded else unicodedata.normalize("NFC", source)

    def change(fields: _Fields) -> None:
        grades = dict(fields.get("relevant", {}))
        kept = [name for name in fields.get("exclude", ()) if _nfc([name]) != [source]]
        if excluded:
            grades.pop(key_of(grades, source), None)
            fields["relevant"] = grades
        fields["exclude"] = [*kept, source] if excluded else kept

    fresh = {"origin": origin, "stratum": stratum, "split": split}
    return _edit(
        folder,
        query,
        change,
        fresh=fresh,
        token=token,
        case_id=case_id,
        judged_by=judged_by,
        note=note,
        at=at,
    )


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

    def change(fields: _Fields) -> None:
        grades = dict(fields.get("relevant", {}))
        if key_of(grades, source) not in grades:
            raise InvalidInput(
                f"{source} has no judgement for this query.",
                next_action="See the case: `read_judgements`, or the line in cases.jsonl.",
            )
        del grades[key_of(grades, source)]
        fields["relevant"] = grades

    return _edit(folder, query, change, fresh=None, token=token, case_id=case_id)


def made_id(query: str, taken: frozenset[str] = frozenset()) -> str:
    """The id of a case that a judgement adds: equal for equal folded queries, in every copy."""
    digest = hashlib.sha256(fold(query).encode("utf-8", "surrogatepass")).hexdigest()
    return next(name for length in range(8, 65) if (name := f"q-{digest[:length]}") not in taken)


def _edit(
    folder: Path,
    query: str,
    change: Callable[[_Fields], None],
    *,
    fresh: _Fields | None,
    token: str | None,
    case_id: str | None,
    judged_by: str = "",
    note: str = "",
    at: datetime | None = None,
) -> Judged:
    """Changes the case under the lock; `fresh` are fields of a new one, None allows none."""
    if is_blank(query):
        raise EmptyQuery(
            "The query is blank or holds punctuation only.", next_action="Judge a real query."
        )
    if is_bundled(folder):
        raise InvalidInput(
            f"The bundled set {folder.name!r} is read-only.",
            next_action="Judge into the copy that `writable_set` makes in `sets_dir`.",
        )
    read_about(folder)
    with editing(folder) as lines:
        check_token(lines, token)
        found = _find(lines, query, case_id)
        if found is None and (fresh is None or case_id is not None):
            what = f"case {case_id!r}" if case_id is not None else "case with this query"
            raise InvalidInput(
                f"There is no {what} in {folder}.", next_action="Name a query of the set."
            )
        before = None if found is None else _usable(folder, *found)
        fields = dict(found[1]) if found else _new_fields(lines, query, fresh or {})
        change(fields)
        fields |= _provenance(fields, judged_by, note, at, judging=fresh is not None)
        case: Case | None
        try:
            case = checked_case(fields)
        except ValueError as error:
            raise InvalidInput(
                f"The judgement does not fit the case: {error}.",
                next_action="Correct what is named.",
            ) from None
        if found is None:
            after = lines.append(fields)
        elif fresh is None and _says_nothing(case):
            case, after = None, lines.remove(found[0])
        else:
            after = lines.replace(found[0], fields)
        written = write_lines(lines, after)
    return Judged(folder=folder, case=case, before=before, token=written)


def _find(lines: CaseLines, query: str, case_id: str | None) -> tuple[int, _Fields] | None:
    """The record that asks the query, or the one of this id."""
    if case_id is not None:
        return next((found for found in lines.records() if found[1].get("id") == case_id), None)
    found = lines.positions(query)
    if len(found) > 1:
        ids = ", ".join(str(fields.get("id")) for _, fields in found)
        raise InvalidInput(
            f"Several cases ask this query: {ids}.", next_action="Name the one that is meant."
        )
    return found[0] if found else None


def _usable(folder: Path, position: int, fields: _Fields) -> Case:
    try:
        return checked_case(fields)
    except ValueError as error:
        problem = Problem(file=CASES_NAME, line=position + 1, message=str(error))
        raise SetError(str(folder), [problem]) from None


def _new_fields(lines: CaseLines, query: str, fresh: _Fields) -> _Fields:
    taken = frozenset(str(fields.get("id")) for _, fields in lines.records())
    case = Case(id=made_id(query, taken), query=query.strip(), **fresh)
    return case_fields(case)


def _provenance(
    fields: _Fields, judged_by: str, note: str, at: datetime | None, *, judging: bool
) -> _Fields:
    """Who judged, when, and what they noted, with what earlier judges said."""
    if not judging:
        return {}
    found: _Fields = {"judged_at": (at or datetime.now(UTC)).isoformat(timespec="seconds")}
    names = [name for name in str(fields.get("judged_by", "")).split(", ") if name]
    if judged_by.strip():
        found["judged_by"] = ", ".join(dict.fromkeys([*names, judged_by.strip()]))
    written = str(fields.get("note", ""))
    if note.strip() and note.strip() not in written:
        found["note"] = "; ".join(filter(None, [written, note.strip()]))
    return found


def _says_nothing(case: Case) -> bool:
    made = case.id.startswith(made_id(case.query))
    return made and not (case.relevant or case.exclude or case.expect_no_answer)


def _known(folder: Path, source: str) -> str:
    """The source as the knowledge base names it."""
    source = unicodedata.normalize("NFC", source)
    sources = find_sources(read_about(folder)[1])[1]
    if source in sources:
        return source
    close = difflib.get_close_matches(source[:200], sources, n=3, cutoff=0.5)
    raise UnknownSource(
        f"There is no note {source!r} in the knowledge base of this set.",
        next_action=f"Closest: {', '.join(close)}."
        if close
        else "Sources are paths below the root, such as billing/refunds.md.",
    )


def _nfc(names: Any) -> list[str]:
    return [unicodedata.normalize("NFC", name) for name in names]
