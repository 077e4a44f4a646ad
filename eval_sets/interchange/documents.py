"""A BEIR `corpus.jsonl` as a folder of markdown notes."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from eval_sets.errors import Problem, SetError

_UNSAFE = re.compile(r"[^\w.-]+")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_LONGEST = 80
_NOTE = (".md", ".markdown")
_FRONTMATTER = ("title", "category", "keywords", "aliases", "tags")


def write_notes(corpus: Path, root: Path) -> dict[str, str]:
    """Document id → source, after one note was written below `root` for each line of the corpus.

    `title`, `category`, `keywords`, `aliases` and `tags` of a document become frontmatter, its
    `text` the body; other fields are left out. An id that is a path of a note stays its path, any
    other becomes a file name that every system takes.

    Raises `SetError` that lists every line which is no document or repeats an id; then nothing
    was written.
    """
    problems: list[Problem] = []
    documents = list(_documents(corpus, problems))
    if problems:
        raise SetError(corpus.name, problems)
    sources = file_names(str(document["_id"]) for document in documents)
    for document in documents:
        path = root / sources[str(document["_id"])]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_note(document), encoding="utf-8", newline="\n")
    return sources


def file_names(ids: Iterator[str]) -> dict[str, str]:
    """Id → file name below a root; names differ even where case does not count."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for identifier in ids:
        name = _path(identifier) or _file_name(identifier)
        if name.casefold() in taken:
            name = _file_name(identifier, distinguish=True)
        taken.add(name.casefold())
        names[identifier] = name
    return names


def _path(identifier: str) -> str | None:
    """The id itself, when it is a path of a note whose parts are safe file names."""
    path = PurePosixPath(identifier)
    if path.suffix not in _NOTE or str(path) != identifier or path.is_absolute():
        return None
    if any(_sanitised(part) != part for part in path.parts):
        return None
    return identifier


def _file_name(identifier: str, *, distinguish: bool = False) -> str:
    name = _sanitised(identifier)
    if distinguish or not name or name != identifier:
        digest = hashlib.blake2b(identifier.encode(), digest_size=5).hexdigest()
        name = f"{name}-{digest}" if name else digest
    return f"{name}.md"


def _sanitised(text: str) -> str:
    name = _UNSAFE.sub("_", unicodedata.normalize("NFC", text)).strip("._")[:_LONGEST]
    return f"_{name}" if _RESERVED.fullmatch(name) else name


def _note(document: Mapping[str, Any]) -> str:
    fields = {key: document[key] for key in _FRONTMATTER if document.get(key)}
    text = "\n".join(str(document.get("text") or "").splitlines())
    if not fields:
        return f"{text}\n"
    head = yaml.safe_dump(fields, allow_unicode=True, sort_keys=False, width=10**6)
    return f"---\n{head}---\n\n{text}\n"


def _documents(corpus: Path, problems: list[Problem]) -> Iterator[dict[str, Any]]:
    seen: set[str] = set()
    with corpus.open(encoding="utf-8-sig", newline="\n") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            message = None
            try:
                document = json.loads(line)
            except json.JSONDecodeError as error:
                message = f"no JSON: {error.msg}"
            else:
                message = _unusable(document, seen)
            if message:
                problems.append(Problem(file=corpus.name, line=number, message=message))
                continue
            seen.add(str(document["_id"]))
            yield document


def _unusable(document: object, seen: set[str]) -> str | None:
    if not isinstance(document, dict) or not isinstance(document.get("_id"), (str, int)):
        return "no object with an '_id'"
    if str(document["_id"]) in seen:
        return f"the id {document['_id']!r} is there twice"
    if not isinstance(document.get("text"), str):
        return "no 'text'"
    return None
