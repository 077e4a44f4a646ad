"""Labelled sets from their folders and back: all problems at once, each with file and line."""

import difflib
import json
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from pydantic import ValidationError

from eval_sets.errors import Problem, SetError
from eval_sets.schema import SetFile, case_fields, explain, parse_case
from eval_sets.sets import bundled_sets
from eval_sets.types import Case, EvalSet, SetMeta
from retrieval.atomic import write_atomic
from retrieval.errors import KnowledgeError, RetrievalError
from retrieval.reading import read_regular, read_yaml
from retrieval.settings import CONFIG_NAME, load_settings

SET_NAME = "set.yaml"
CASES_NAME = "cases.jsonl"
BUNDLED = "bundled:"
"""Before the name of a bundled set whose notes another set judges."""


def load_set(folder: Path) -> EvalSet:
    """The labelled set in a folder with `set.yaml`, `cases.jsonl` and its notes.

    The notes lie where `knowledge.toml` of the folder says, else where `set.yaml` says with
    `knowledge`: in a folder, relative or absolute, or in a bundled set.

    Raises `SetError` that lists everything that is wrong: no such file, unknown fields, empty
    queries, bad grades, repeated ids, and sources that are no notes of this knowledge base.
    """
    problems: list[Problem] = []
    about = _read_about(folder, problems)
    cases = read_cases(folder / CASES_NAME, problems)
    if about is None:
        raise SetError(str(folder), problems)
    try:
        knowledge_base = _find_notes(folder, about)
        root, sources = find_sources(knowledge_base)
    except RetrievalError as error:
        raise SetError(str(folder), [*problems, Problem(file=SET_NAME, message=str(error))]) from (
            error
        )
    problems.extend(_unknown_sources(cases, sources))
    problems.sort(key=lambda problem: (problem.file != SET_NAME, problem.line or 0))
    if problems:
        raise SetError(str(folder), problems)
    return EvalSet(
        name=about.name,
        folder=folder,
        root=root,
        knowledge_base=knowledge_base,
        cases=tuple(case for _, case in cases),
        meta=SetMeta(**about.model_dump(exclude={"name", "knowledge"})),
    )


def read_about(folder: Path) -> tuple[SetFile, Path]:
    """What `set.yaml` of a set says, and the knowledge base that it judges; no case is read.

    Raises `SetError` when the file is not usable, `KnowledgeError` for an unknown bundled set.
    """
    problems: list[Problem] = []
    about = _read_about(folder, problems)
    if about is None:
        raise SetError(str(folder), problems)
    return about, _find_notes(folder, about)


def _find_notes(folder: Path, about: SetFile) -> Path:
    if (folder / CONFIG_NAME).is_file():
        return folder
    if not about.knowledge.startswith(BUNDLED):
        return folder / about.knowledge
    name = about.knowledge.removeprefix(BUNDLED)
    bundled = bundled_sets()
    if name not in bundled:
        raise KnowledgeError(
            f"There is no bundled set {name!r}.", next_action=f"Bundled: {', '.join(bundled)}."
        )
    return read_about(bundled[name])[1]


def find_sources(knowledge_base: Path) -> tuple[Path, frozenset[str]]:
    """The root of a knowledge base and the sources below it, as the lookup would load them.

    Raises `KnowledgeError` or `SettingsError` when there is no such root.
    """
    from retrieval.knowledge import scan  # on use: it brings the markdown parser

    settings, location = load_settings(knowledge_base)
    return location.root, frozenset(scan(location.root, settings.knowledge))


def read_cases(path: Path, problems: list[Problem]) -> list[tuple[int, Case]]:
    """The usable cases of a file with their lines; what is wrong is added to `problems`.

    Blank lines are skipped. Sources are not checked here.
    """
    cases: list[tuple[int, Case]] = []
    first_line: dict[str, int] = {}
    for number, text in _lines(path, problems):
        try:
            case = parse_case(text)
        except ValueError as error:
            problems.append(Problem(file=path.name, line=number, message=str(error)))
            continue
        if (first := first_line.setdefault(case.id, number)) != number:
            message = f"the id {case.id!r} stands in line {first} already"
            problems.append(Problem(file=path.name, line=number, message=message))
        cases.append((number, case))
    if not cases and not problems:
        problems.append(Problem(file=path.name, message="there is no case in it"))
    return cases


def save_cases(path: Path, cases: Iterable[Case]) -> None:
    """Replaces a `cases.jsonl` in one step: a reader sees the old file or the new one, whole."""
    lines = [json.dumps(case_fields(case), ensure_ascii=False) + "\n" for case in cases]
    write_atomic(path, "".join(lines))


def _read_about(folder: Path, problems: list[Problem]) -> SetFile | None:
    path = folder / SET_NAME
    try:
        # BaseLoader keeps every scalar as text: a revision 1.10 is not the number 1.1.
        return SetFile.model_validate(read_yaml(path, typed=False))
    except ValidationError as error:  # a `ValueError` too
        problems.append(Problem(file=SET_NAME, message=explain(error)))
    except ValueError as error:
        problems.append(Problem(file=SET_NAME, message=f"cannot be read: {error}"))
    return None


def _lines(path: Path, problems: list[Problem]) -> Iterator[tuple[int, str]]:
    try:
        data = read_regular(path).removeprefix(b"\xef\xbb\xbf")
    except ValueError as error:
        problems.append(Problem(file=path.name, message=f"cannot be read: {error}"))
        return
    # Only the line feed ends a line of JSONL: U+2028 may stand inside a string.
    for number, raw in enumerate(data.split(b"\n"), start=1):
        try:
            text = raw.decode("utf-8").strip()
        except UnicodeDecodeError as error:
            message = f"is not UTF-8 at byte {error.start} of the line"
            problems.append(Problem(file=path.name, line=number, message=message))
            continue
        if text:
            yield number, text


def _unknown_sources(
    cases: Iterable[tuple[int, Case]], sources: Collection[str]
) -> Iterator[Problem]:
    for number, case in cases:
        for source in (*case.relevant, *case.exclude):
            if source not in sources:
                close = difflib.get_close_matches(source, sources, n=1)
                hint = f" (did you mean {close[0]!r}?)" if close else ""
                message = f"unknown source {source!r}{hint}"
                yield Problem(file=CASES_NAME, line=number, message=message)
