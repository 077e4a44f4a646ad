"""The action `load`: files and what became of them, without an index."""

import json
import re
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from retrieval.knowledge import Knowledge, load_knowledge, read_frontmatter
from retrieval.knowledge.decoding import decode
from retrieval.settings import KnowledgeSettings
from retrieval.types import Entry
from tests.cases.case import (
    Case,
    Expected,
    equals,
    excludes,
    holds,
    includes,
    lacks,
    noted,
    problems,
    same_set,
    says,
)
from tests.cases.matching import judge_match

WINDOW = 256


@dataclass(frozen=True)
class File:
    """What became of one file."""

    root: Path
    source: str
    knowledge: Knowledge

    @property
    def entry(self) -> Entry | None:
        return next((e for e in self.knowledge.entries if e.source == self.source), None)

    @cached_property
    def text(self) -> str:
        return "\n".join(passage.text for passage in self.entry.passages) if self.entry else ""

    @cached_property
    def body(self) -> str:
        data = (self.root / self.source).read_bytes()
        return read_frontmatter(decode(data, self.source), self.source).body

    def issues(self, severity: str) -> str:
        rows = self.knowledge.report.issues
        return "\n".join(
            f"{row} ({row.code})"
            for row in rows
            if row.source == self.source and row.severity == severity
        )


def load(root: Path, *, window: int = WINDOW, by_characters: bool = False) -> Knowledge:
    """The notes below the root."""
    return load_knowledge(
        root,
        KnowledgeSettings(),
        window=window,
        measure=len if by_characters else lambda text: len(text.split()),
    )


def judge_load(case: Case, root: Path, knowledge: Knowledge, expected: Expected) -> list[str]:
    """What does not hold of a load."""
    of_all = {key: value for key, value in expected.items() if key in LOAD}
    of_one = {key: value for key, value in expected.items() if key not in LOAD}
    lines = problems(LOAD, (root, knowledge), of_all)
    if of_one:
        (path,) = [p for p in root.rglob("*") if p.is_file()]
        file = File(root, path.relative_to(root).as_posix(), knowledge)
        lines += problems(FILE, file, of_one)
    if then := case.data.get("then_match"):
        lines += judge_match(knowledge, {"checks": [then]})
    return lines


def _entries(found: tuple[Path, Knowledge], wanted: Expected) -> Any:
    root, knowledge = found
    lines = [
        line
        for source, expected in wanted.items()
        for line in problems(FILE, File(root, source, knowledge), expected, f"{source} ")
    ]
    return lines or True


def _sources(found: tuple[Path, Knowledge]) -> list[str]:
    return [entry.source for entry in found[1].entries]


def _is_json(value: Any) -> Any:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return json.loads(text) is not None and bool(text.encode())


def _metadata(file: File, wanted: Expected) -> Any:
    found = file.entry.metadata if file.entry else {}
    return all(found.get(key) == value for key, value in wanted.items()) or dict(found)


def _metadata_text(file: File, key: str) -> str:
    return json.dumps(file.entry.metadata.get(key) if file.entry else None, ensure_ascii=False)


LOAD = {
    "loaded_count": equals(lambda found: len(found[1].entries)),
    "rejected_count": equals(lambda found: len({i.source for i in found[1].report.errors})),
    "sources": same_set(_sources),
    "sources_must_not_include": excludes(_sources),
    "entries": _entries,
    "json_serializable": lambda found, _: _is_json([asdict(e) for e in found[1].entries]),
    "does_not_raise": noted,
    "file_must_not_exist": lambda found, name: (
        not any((folder / name).exists() for folder in (found[0], found[0].parent, Path.cwd()))
    ),
}

FILE = {
    "loads": lambda file, wanted: (file.entry is not None) == wanted or file.issues("error"),
    "rejected": lambda file, _: file.entry is None and bool(file.issues("error")),
    "error_mentions": lambda file, wanted: says(lambda f: f.issues("error"))(
        file, [_line_of(file, word) for word in wanted]
    ),
    "warnings_mention": says(lambda file: file.issues("warning")),
    "title": equals(lambda file: file.entry and file.entry.title),
    "category": equals(lambda file: file.entry and file.entry.category),
    "keywords": equals(lambda file: file.entry and file.entry.keywords),
    "keywords_include": includes(lambda file: file.entry.keywords if file.entry else ()),
    "keywords_exclude": excludes(lambda file: file.entry.keywords if file.entry else ()),
    "body": equals(lambda file: file.body.strip()),
    "body_contains": holds(lambda file: file.text),
    "body_not_contains": lacks(lambda file: file.text),
    "metadata": _metadata,
    "metadata_absent": excludes(lambda file: file.entry.metadata if file.entry else ()),
    "metadata_text_contains": lambda file, wanted: all(
        text in _metadata_text(file, key) for key, text in wanted.items()
    ),
    "metadata_text_not_contains": lambda file, wanted: (
        not any(text in _metadata_text(file, key) for key, text in wanted.items())
    ),
    "json_serializable": lambda file, _: file.entry is None or _is_json(asdict(file.entry)),
    "does_not_raise": noted,
}


def _line_of(file: File, word: str) -> str:
    """`line 3` as the row's own line where the message does not spell it out."""
    spelled = re.fullmatch(r"line (\d+)", word)
    return f"{file.source}:{spelled[1]}:" if spelled else word
