"""The files of a BEIR folder, read into drafts of cases: sources are still document ids."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval_sets.errors import Problem
from eval_sets.schema import MAX_GRADE, case_from
from eval_sets.types import Case, Split

QUERIES_NAME = "queries.jsonl"
CORPUS_NAME = "corpus.jsonl"
BEYOND = (
    "stratum",
    "expected_category",
    "expect_filter",
    "expect_no_answer",
    "origin",
    "judged_by",
    "judged_at",
    "note",
)
"""Fields of a case that BEIR has no place for; an export keeps them under `metadata`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafts:
    """The labelled queries of a folder."""

    cases: tuple[Case, ...]
    unlabelled: tuple[str, ...]
    """Ids of queries that no file judges."""
    dropped: tuple[Problem, ...]
    """Labels that were left out, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Label:
    query: str
    document: str
    grade: int
    split: Split
    file: str
    line: int


def read_drafts(folder: Path, problems: list[Problem]) -> Drafts:
    """The queries that have a label; what makes the folder unusable is added to `problems`.

    A document that is relevant and in the query's `sources` at once stays excluded and loses its
    label: it holds the query word for word, and would be found for that alone.
    """
    dropped: list[Problem] = []
    labels: dict[str, dict[str, _Label]] = {}
    for label in _labels(folder, problems):
        of_query = labels.setdefault(label.query, {})
        if of_query.setdefault(label.document, label) is not label:
            dropped.append(_left_out(label, "is judged already"))
    cases: dict[str, Case] = {}
    unlabelled: dict[str, None] = {}
    for number, query in _queries(folder / QUERIES_NAME, problems):
        identifier = str(query["_id"])
        if identifier in cases or identifier in unlabelled:
            message = f"the id {identifier!r} is there already"
            problems.append(Problem(file=QUERIES_NAME, line=number, message=message))
            continue
        judged = labels.pop(identifier, {})
        try:
            case = case_from(_fields(identifier, query, judged, dropped))
        except ValueError as error:
            problems.append(Problem(file=QUERIES_NAME, line=number, message=str(error)))
            continue
        if judged or case.expect_no_answer:
            cases[identifier] = case
        else:
            unlabelled[identifier] = None
    dropped.extend(
        _left_out(label, "belongs to a query that is not there")
        for of_query in labels.values()
        for label in of_query.values()
    )
    return Drafts(cases=tuple(cases.values()), unlabelled=tuple(unlabelled), dropped=tuple(dropped))


def _fields(
    identifier: str,
    query: Mapping[str, Any],
    judged: Mapping[str, _Label],
    dropped: list[Problem],
) -> dict[str, Any]:
    exclude = tuple(dict.fromkeys(query.get("sources") or ()))
    relevant = {}
    for document, label in judged.items():
        if document in exclude:
            dropped.append(_left_out(label, "is among the query's sources, which are excluded"))
        else:
            relevant[document] = label.grade
    metadata = query.get("metadata")
    beyond = metadata if isinstance(metadata, Mapping) else {}
    splits = {label.split for label in judged.values()}
    split = beyond.get("split") or ("dev" if splits == {"dev"} else "test")
    return {
        "id": identifier,
        "query": query["text"],
        "relevant": relevant,
        "exclude": exclude,
        "split": split,
        **{key: beyond[key] for key in BEYOND if key in beyond},
    }


def _left_out(label: _Label, why: str) -> Problem:
    message = f"{label.document!r} for query {label.query!r} {why}"
    return Problem(file=label.file, line=label.line, message=message)


def _queries(path: Path, problems: list[Problem]) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in _lines(path, problems):
        try:
            query = json.loads(line)
        except json.JSONDecodeError as error:
            problems.append(Problem(file=path.name, line=number, message=f"no JSON: {error.msg}"))
            continue
        if not isinstance(query, dict) or not {"_id", "text"} <= query.keys():
            message = "no object with '_id' and 'text'"
            problems.append(Problem(file=path.name, line=number, message=message))
            continue
        yield number, query


def _labels(folder: Path, problems: list[Problem]) -> Iterator[_Label]:
    files: list[tuple[Path, Split]] = [(folder / "qrels.tsv", "test")]
    if not files[0][0].is_file():
        files = [(folder / "qrels" / "test.tsv", "test"), (folder / "qrels" / "dev.tsv", "dev")]
        files = [(path, split) for path, split in files if path.is_file()]
    if not files:
        message = "neither qrels.tsv nor qrels/test.tsv nor qrels/dev.tsv is there"
        problems.append(Problem(file="qrels", message=message))
    for path, split in files:
        name = path.relative_to(folder).as_posix()
        for number, line in _lines(path, problems):
            columns = [column.strip() for column in line.split("\t")]
            if number == 1 and columns[-1].casefold() == "score":
                continue
            grade = _grade(columns[2]) if len(columns) == 3 else None
            if grade is None:
                message = f"no line of query, document and a grade of at most {MAX_GRADE} by tabs"
                problems.append(Problem(file=name, line=number, message=message))
                continue
            yield _Label(
                query=columns[0],
                document=columns[1],
                grade=grade,
                split=split,
                file=name,
                line=number,
            )


def _grade(text: str) -> int | None:
    if not re.fullmatch(r"-?\d+(\.0+)?", text):
        return None
    grade = max(int(float(text)), 0)
    return grade if grade <= MAX_GRADE else None


def _lines(path: Path, problems: list[Problem]) -> Iterator[tuple[int, str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield number, line.strip("\r\n")
    except OSError as error:
        problems.append(Problem(file=path.name, message=f"cannot be read: {error.strerror}"))
    except UnicodeDecodeError as error:
        problems.append(Problem(file=path.name, message=f"is not UTF-8: {error.reason}"))
