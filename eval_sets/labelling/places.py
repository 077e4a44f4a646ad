"""Where the labelled sets of a knowledge base lie: its own, and copies of bundled ones."""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from eval_sets import sets
from eval_sets.errors import Problem
from eval_sets.loading import (
    BUNDLED,
    CASES_NAME,
    SET_NAME,
    find_sources,
    read_about,
    read_cases,
)
from eval_sets.sets import bundled_sets
from retrieval.atomic import write_atomic
from retrieval.errors import InvalidInput, RetrievalError

if TYPE_CHECKING:
    from retrieval.knowledge_base import KnowledgeBase

FOLDER = "sets"
_NAME = re.compile(r"[^\W_][\w. -]{0,79}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSummary:
    """A labelled set of a knowledge base, as far as it can be read."""

    name: str
    folder: Path
    bundled: bool
    """True for a set that is read-only: it is copied on the first judgement."""
    queries: int
    judged: int
    """Queries that have a relevant note or the label that none is."""
    problem: str | None = None
    """Why the set cannot be used."""


def sets_folder(kb: "KnowledgeBase") -> Path:
    """The folder of the knowledge base's labelled sets, whether or not it exists.

    `sets_dir` of the settings, relative to the folder that is opened; without it `sets` beside
    `knowledge.toml`, or in the state folder of notes that have none.
    """
    if kb.settings.sets_dir is not None:
        return (_opened_at(kb) / kb.settings.sets_dir).resolve()
    if kb.location.config is not None:
        return kb.location.config.parent / FOLDER
    return kb.location.state_dir / FOLDER


def list_sets(kb: "KnowledgeBase") -> tuple[SetSummary, ...]:
    """The sets that judge these notes, by name.

    Those of `sets_folder`, a set that is itself the knowledge base, and bundled ones that were
    not copied yet. A set that cannot be read is listed with its problem.
    """
    found = [summarise(folder) for folder in _own_sets(kb)]
    names = {summary.name for summary in found}
    for name, folder in bundled_sets().items():
        if name not in names and _root_of(folder) == kb.location.root:
            found.append(summarise(folder))
    return tuple(sorted(found, key=lambda summary: summary.name))


def find_own_set(name: str, kb: "KnowledgeBase") -> Path | None:
    """The folder of the set with this name among those of the knowledge base, bundled ones last."""
    return next((found.folder for found in list_sets(kb) if found.name == name), None)


def create_set(
    name: str, kb: "KnowledgeBase", *, language: str = "", description: str = ""
) -> Path:
    """A new set without cases that judges the notes where they are; gives its folder.

    Raises `InvalidInput` when the name cannot be a folder's, or is taken.
    """
    name = name.strip()
    if not _NAME.fullmatch(name):
        raise InvalidInput(
            f"The set name {name!r} is not usable.",
            next_action="Use letters, digits, blanks, dots, hyphens and underscores; "
            "begin with a letter or digit.",
        )
    folder = sets_folder(kb) / name
    if folder.exists() or find_own_set(name, kb) is not None:
        raise InvalidInput(
            f"There is a set {name!r} already.",
            next_action="Judge into it, or choose another name.",
        )
    about = {"name": name, "language": language, "description": description}
    about["how_labelled"] = "Judged note by note; a note that is not listed is not judged."
    _write(folder, about, kb, "")
    return folder


def writable_set(folder: Path, kb: "KnowledgeBase") -> Path:
    """The set itself, or for a bundled one its copy in `sets_folder`, made now if need be.

    Labels are copied byte for byte, so a token that was read from the bundled set fits the copy;
    the notes stay where they are.
    """
    if not is_bundled(folder):
        return folder
    copy = sets_folder(kb) / folder.name
    if not (copy / SET_NAME).is_file():
        data = yaml.load((folder / SET_NAME).read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
        data["source"] = f"Copy of the bundled set {folder.name}, revision {data['revision']}."
        _write(copy, data, kb, (folder / CASES_NAME).read_text(encoding="utf-8"))
    return copy


def is_bundled(folder: Path) -> bool:
    """True for a set that came with the package, which may not be written."""
    return folder.resolve().is_relative_to(Path(sets.__file__).parent.resolve())


def copy_of(folder: Path) -> Path:
    """The copy that judgements made of a bundled set, if there is one, else the set itself."""
    from retrieval.knowledge_base import KnowledgeBase

    copy = sets_folder(KnowledgeBase.open(read_about(folder)[1])) / folder.name
    return copy if is_bundled(folder) and (copy / SET_NAME).is_file() else folder


def _own_sets(kb: "KnowledgeBase") -> Iterator[Path]:
    folders: Iterable[Path] = (path.parent for path in sets_folder(kb).glob(f"*/{SET_NAME}"))
    for folder in (_opened_at(kb), *sorted(folders)):
        if (folder / SET_NAME).is_file() and _root_of(folder) in (None, kb.location.root):
            yield folder


def _root_of(folder: Path) -> Path | None:
    """The notes that a set judges; None when it does not say so in a usable way."""
    try:
        return find_sources(read_about(folder)[1])[0]
    except RetrievalError:
        return None


def summarise(folder: Path) -> SetSummary:
    """The set in a folder, as far as it can be read; its notes are not looked at."""
    problems: list[Problem] = []
    name = folder.name
    try:
        name = read_about(folder)[0].name
    except RetrievalError as error:
        problems.append(Problem(file=SET_NAME, message=error.message))
    empty = (folder / CASES_NAME).is_file() and not (folder / CASES_NAME).stat().st_size
    cases = [] if empty else [case for _, case in read_cases(folder / CASES_NAME, problems)]
    return SetSummary(
        name=name,
        folder=folder,
        bundled=is_bundled(folder),
        queries=len(cases),
        judged=sum(case.judged for case in cases),
        problem="; ".join(map(str, problems)) or None,
    )


def _write(folder: Path, about: dict[str, str], kb: "KnowledgeBase", cases: str) -> None:
    text = yaml.safe_dump(
        {**about, "knowledge": _reference(kb, folder)}, allow_unicode=True, sort_keys=False
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomic(folder / CASES_NAME, cases)
        write_atomic(folder / SET_NAME, text)  # last: it makes the folder a set
    except OSError as error:
        raise InvalidInput(
            f"The set {folder} cannot be written: {error.strerror}.",
            next_action="Set `sets_dir` to a folder that you may write to.",
        ) from error


def _reference(kb: "KnowledgeBase", folder: Path) -> str:
    """How a set in this folder names the knowledge base.

    Relative where both move together, and by name where the notes came with the package.
    """
    where = _opened_at(kb)
    for name, bundled in bundled_sets().items():
        if read_about(bundled)[1].resolve() == where:
            return BUNDLED + name
    if folder.is_relative_to(where):
        return Path(os.path.relpath(where, folder)).as_posix()
    return str(where)


def _opened_at(kb: "KnowledgeBase") -> Path:
    return kb.location.config.parent if kb.location.config else kb.location.root
