"""Labels of notes that were renamed: which note is meant now, and the labels changed to it."""

import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from eval_sets.errors import Problem, SetError
from eval_sets.labelling.contents import (
    NoteContent,
    content_of_entry,
    likeness,
    read_contents,
    recall,
    remember,
)
from eval_sets.labelling.lines import (
    CaseLines,
    check_token,
    checked_case,
    editing,
    read_lines,
    write_lines,
)
from eval_sets.loading import CASES_NAME, find_sources, read_about
from retrieval.errors import InvalidInput, RetrievalError

SAME = 0.9
"""Least likeness of a note that is taken for a renamed one: twins in a knowledge base, such as the
same procedure for two regions, come to 0.85."""
ALIKE = 0.5
"""Least likeness of a note that a person is asked about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rename:
    """A labelled source that is no note any more."""

    source: str
    cases: tuple[str, ...]
    """Ids of the cases that name it."""
    target: str | None
    """The note that it is now; None when that cannot be told."""
    likeness: float | None
    """1.0 for the same text; None where nothing is known of what the note held."""
    choices: tuple[str, ...] = ()
    """Where there is no target: notes that it may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relabelled:
    """What changing labels to other sources did."""

    lines: int
    token: str


def propose_renames(folder: Path) -> tuple[Rename, ...]:
    """The labelled sources of a set that vanished, each with the note that holds its text now.

    A target is a note that no label names, with the same file, the same words below the
    frontmatter, or nearly all of its runs of words, and the only one that is so much alike. What a
    note held is known from `sources.json`, else from the index. Nothing is written.

    Raises `SetError` when the set cannot be read.
    """
    about = read_about(folder)[1]
    current = find_sources(about)[1]
    labelled = _labelled(read_lines(folder))
    vanished = {source: ids for source, ids in labelled.items() if source not in current}
    if not vanished:
        return ()
    known = {**_indexed(about, vanished), **recall(folder)}
    notes = read_contents(about, sorted(current - labelled.keys()))
    return tuple(_rename(source, ids, known.get(source), notes) for source, ids in vanished.items())


def apply_renames(
    folder: Path, renames: Mapping[str, str], *, token: str | None = None
) -> Relabelled:
    """Writes the new names into every case, all at once; other lines stay byte for byte.

    Where a case has labels for both names, the higher grade stays. Raises `SetChanged` when the
    file is not the one of `token`, `InvalidInput` for a target that is no note, and `SetError` for
    a case that would judge what it excludes.
    """
    knowledge_base = read_about(folder)[1]
    current = find_sources(knowledge_base)[1]
    if missing := sorted(set(renames.values()) - current):
        raise InvalidInput(
            f"There is no note {missing[0]!r} in the knowledge base of this set.",
            next_action="Name the source that the note has now.",
        )
    with editing(folder) as before:
        check_token(before, token)
        changed: dict[int, dict[str, Any]] = {}
        problems: list[Problem] = []
        for position, fields in before.records():
            after = _renamed(fields, renames)
            if after == fields:
                continue
            try:
                checked_case(after)
            except ValueError as error:
                problems.append(Problem(file=CASES_NAME, line=position + 1, message=str(error)))
            changed[position] = after
        if problems:
            raise SetError(str(folder), problems)
        written = write_lines(before, before.replace_all(changed)) if changed else before.token
        remember_labelled(folder, knowledge_base, refresh=current)
    return Relabelled(lines=len(changed), token=written)


def remember_labelled(folder: Path, knowledge_base: Path, refresh: Iterable[str]) -> None:
    """Keeps what the labelled notes hold: all that was not known yet, and those to refresh.

    What is known of a source that vanished is kept as long as a label names it.
    """
    labelled = _labelled(read_lines(folder))
    try:
        known = {s: content for s, content in recall(folder).items() if s in labelled}
    except SetError:
        known = {}  # a damaged file is written anew
    wanted = (labelled.keys() - known.keys()) | (labelled.keys() & set(refresh))
    # The labels are written already; without this file only renames are harder to find.
    with suppress(OSError):
        remember(folder, known | read_contents(knowledge_base, sorted(wanted)))


def _labelled(lines: CaseLines) -> dict[str, tuple[str, ...]]:
    """Source → ids of the cases that judge or exclude it, in the order of the file."""
    found: dict[str, dict[str, None]] = {}
    for _, fields in lines.records():
        named = [*(fields.get("relevant") or ()), *(fields.get("exclude") or ())]
        for source in named:
            if isinstance(source, str):
                ids = found.setdefault(unicodedata.normalize("NFC", source), {})
                ids[str(fields.get("id"))] = None
    return {source: tuple(ids) for source, ids in found.items()}


def _indexed(knowledge_base: Path, sources: Iterable[str]) -> dict[str, NoteContent]:
    """What the index still knows of these sources."""
    from retrieval.knowledge_base import KnowledgeBase

    wanted = set(sources)
    try:
        with KnowledgeBase.open(knowledge_base) as kb:
            return {e.source: content_of_entry(e) for e in kb.entries if e.source in wanted}
    except RetrievalError:
        return {}


def _rename(
    source: str,
    cases: tuple[str, ...],
    content: NoteContent | None,
    notes: Mapping[str, NoteContent],
) -> Rename:
    if content is None:
        name = PurePosixPath(source).name
        same_name = tuple(note for note in notes if PurePosixPath(note).name == name)
        return Rename(source=source, cases=cases, target=None, likeness=None, choices=same_name)
    scored = {name: likeness(content, note) for name, note in notes.items()}
    best = max(scored.values(), default=0.0)
    equal = [name for name, score in scored.items() if score == best]
    if best >= SAME and len(equal) == 1:
        return Rename(source=source, cases=cases, target=equal[0], likeness=best)
    ordered = sorted(scored, key=lambda name: (-scored[name], name))
    choices = tuple(name for name in ordered if scored[name] >= ALIKE)
    return Rename(source=source, cases=cases, target=None, likeness=best, choices=choices)


def _renamed(fields: Mapping[str, Any], renames: Mapping[str, str]) -> dict[str, Any]:
    def new(source: str) -> str:
        return renames.get(unicodedata.normalize("NFC", source), source)

    after = dict(fields)
    if any(new(source) != source for source in fields.get("relevant") or ()):
        grades: dict[str, Any] = {}
        for source, grade in fields["relevant"].items():
            grades[new(source)] = max(grade, grades.get(new(source), grade))
        after["relevant"] = grades
    if any(new(source) != source for source in fields.get("exclude") or ()):
        after["exclude"] = list(dict.fromkeys(new(source) for source in fields["exclude"]))
    return after
