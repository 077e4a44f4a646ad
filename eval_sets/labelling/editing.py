"""One case of a labelled set changed under the lock, with the provenance of the change."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypedDict, Unpack

from eval_sets.errors import Problem, SetError
from eval_sets.labelling.lines import (
    CaseLines,
    check_token,
    checked_case,
    editing,
    write_lines,
)
from eval_sets.labelling.places import is_bundled
from eval_sets.labelling.renames import remember_labelled
from eval_sets.loading import CASES_NAME, read_about
from eval_sets.schema import case_fields
from eval_sets.types import Case, Split
from retrieval.errors import EmptyQuery, InvalidInput
from retrieval.text import fold, is_blank

Fields = dict[str, Any]
"""The fields of one line, those that no schema knows included."""


class About(TypedDict, total=False):
    """What may be said with a judgement; all of it may be left out."""

    judged_by: str
    """Who judges; added to those who judged the case before."""
    note: str
    """Why; added to the case's note."""
    at: datetime
    """When; default: now."""
    origin: str
    """Where the query comes from, such as `trace:<id>`; of a new case only, default `judged`."""
    stratum: str
    """Of a new case only; default: none."""
    split: Split
    """Of a new case only; default `test`."""
    token: str | None
    """Of the file as the judge saw it; without one, what is there now is changed."""
    case_id: str | None
    """The case that is meant, where several ask the query."""


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


def edit_case(
    folder: Path,
    query: str,
    change: Callable[[Fields], None],
    *,
    touched: tuple[str, ...] = (),
    removes: bool = False,
    **about: Unpack[About],
) -> Judged:
    """Changes the fields of the case that asks the query, or of a new one, and writes the file.

    `touched` are sources whose content is what the judge saw. With `removes` no case is added, no
    provenance is written, and a case that `made_id` named goes when nothing is left of it.

    Raises as `judge` says.
    """
    if is_blank(query):
        raise EmptyQuery(
            "The query is blank or holds punctuation only.", next_action="Judge a real query."
        )
    for name, text in {"query": query, **about}.items():
        if isinstance(text, str) and not _is_utf8(text):
            raise InvalidInput(
                f"The {name} holds half of a character pair, which UTF-8 cannot hold.",
                next_action="Give it as whole text.",
            )
    if is_bundled(folder):
        raise InvalidInput(
            f"The bundled set {folder.name!r} is read-only.",
            next_action="Judge into the copy that `writable_set` makes in `sets_dir`.",
        )
    knowledge_base = read_about(folder)[1]
    case_id = about.get("case_id")
    with editing(folder) as lines:
        check_token(lines, about.get("token"))
        found = find_record(lines, query, case_id)
        if found is None and (removes or case_id is not None):
            what = f"case {case_id!r}" if case_id is not None else "case with this query"
            raise InvalidInput(
                f"There is no {what} in {folder}.", next_action="Name a query of the set."
            )
        before = None if found is None else usable_case(folder, *found)
        fields = dict(found[1]) if found else _new_fields(lines, query, about)
        change(fields)
        if not removes:
            fields |= _provenance(fields, about)
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
        elif removes and _says_nothing(case):
            case, after = None, lines.remove(found[0])
        else:
            after = lines.replace(found[0], fields)
        written = write_lines(lines, after)
        remember_labelled(folder, knowledge_base, refresh=touched)
    return Judged(folder=folder, case=case, before=before, token=written)


def made_id(query: str, taken: frozenset[str] = frozenset()) -> str:
    """The id of a case that a judgement adds: equal for equal folded queries, in every copy."""
    digest = hashlib.sha256(fold(query).encode("utf-8", "surrogatepass")).hexdigest()
    return next(name for length in range(8, 65) if (name := f"q-{digest[:length]}") not in taken)


def find_record(lines: CaseLines, query: str, case_id: str | None) -> tuple[int, Fields] | None:
    """The record that asks the query, or the one of this id; None when there is none.

    Raises `InvalidInput` when several ask it.
    """
    if case_id is not None:
        return next((found for found in lines.records() if found[1].get("id") == case_id), None)
    found = lines.positions(query)
    if len(found) > 1:
        ids = ", ".join(str(fields.get("id")) for _, fields in found)
        raise InvalidInput(
            f"Several cases ask this query: {ids}.", next_action="Name the one that is meant."
        )
    return found[0] if found else None


def usable_case(folder: Path, position: int, fields: Fields) -> Case:
    """The case of a record. Raises `SetError` with its line when it is not usable."""
    try:
        return checked_case(fields)
    except ValueError as error:
        problem = Problem(file=CASES_NAME, line=position + 1, message=str(error))
        raise SetError(str(folder), [problem]) from None


def _new_fields(lines: CaseLines, query: str, about: About) -> Fields:
    taken = frozenset(str(fields.get("id")) for _, fields in lines.records())
    case = Case(
        id=made_id(query, taken),
        query=query.strip(),
        origin=about.get("origin", "judged"),
        stratum=about.get("stratum", ""),
        split=about.get("split", "test"),
    )
    return case_fields(case)


def _provenance(fields: Fields, about: About) -> Fields:
    """Who judged, when, and what they noted, with what earlier judges said."""
    moment = about.get("at") or datetime.now(UTC)
    found: Fields = {"judged_at": moment.isoformat(timespec="seconds")}
    names = [name for name in str(fields.get("judged_by", "")).split(", ") if name]
    if name := about.get("judged_by", "").strip():
        found["judged_by"] = ", ".join(dict.fromkeys([*names, name]))
    written, note = str(fields.get("note", "")), about.get("note", "").strip()
    if note and note not in written:
        found["note"] = "; ".join(filter(None, [written, note]))
    return found


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _says_nothing(case: Case) -> bool:
    made = case.id.startswith(made_id(case.query))
    return made and not (case.relevant or case.exclude or case.expect_no_answer)
