"""A file's bytes → an `Entry`. Here a note's identity and the meaning of its fields are decided."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath

from retrieval.knowledge.decoding import decode
from retrieval.knowledge.frontmatter import read_frontmatter
from retrieval.knowledge.outline import read_outline
from retrieval.knowledge.passages import cut_passages
from retrieval.knowledge.refusal import warn
from retrieval.knowledge.terms import derive_entities, distinct, flatten, without_tag_mark
from retrieval.settings import KnowledgeSettings
from retrieval.text import fold
from retrieval.types import Entry, Json, LoadIssue


def read_entry(
    source: str,
    data: bytes,
    settings: KnowledgeSettings,
    *,
    window: int,
    measure: Callable[[str], int],
) -> tuple[Entry, tuple[LoadIssue, ...]]:
    """The entry of one file with its passages, and the warnings about it.

    `source` is its identity. Passages are at most `window` as `measure` counts.

    Raises `NoteRefused` for a file that is not UTF-8 or whose frontmatter cannot be read.
    """
    front = read_frontmatter(decode(data, source), source)
    outline = read_outline(front.body)
    fields = _Fields(front.fields, settings, source)
    title = fields.first(settings.title)
    shown = title[0] if title else outline.first_h1 or PurePosixPath(source).stem
    keywords = fields.merged(settings.keywords)
    entities = fields.first(settings.entities, split=True)
    categories = fields.first(settings.category)
    if not categories and settings.folder_as_category and "/" in source:
        categories = (source.split("/", 1)[0],)
    headings = (text for _, text in outline.headings)
    issues = [*front.issues, *fields.issues]
    if not title and not outline.first_h1:
        message = "The note has no title and goes by its file name."
        todo = "Add title: to the frontmatter, or a heading of level one."
        issues.append(warn(source, "missing_title", message, todo))
    if outline.unclosed_comment is not None:
        line = front.body_line + outline.unclosed_comment
        message = f"The comment that line {line} opens is never closed; its text can be found."
        issues.append(warn(source, "unclosed_comment", message, "Close it with -->.", line))
    entry = Entry(
        source=source,
        title=shown,
        keywords=keywords,
        categories=categories,
        entities=entities,
        derived_entities=derive_entities((shown, *headings, *keywords), entities),
        metadata=fields.rest(),
        passages=cut_passages(
            outline,
            source=source,
            title=shown,
            body_line=front.body_line,
            window=window,
            measure=measure,
        ),
        content_hash=hashlib.sha256(data).hexdigest(),
    )
    return entry, tuple(issues)


class _Fields:
    """Frontmatter by folded key; remembers what was read, so that the rest is metadata."""

    def __init__(
        self, fields: Mapping[str, Json], settings: KnowledgeSettings, source: str
    ) -> None:
        ignored = {fold(key) for key in settings.ignore}
        self._fields = {key: value for key, value in fields.items() if fold(key) not in ignored}
        self._source = source
        self._read: set[str] = set()
        self.issues: list[LoadIssue] = []

    def first(self, names: tuple[str, ...], *, split: bool = False) -> tuple[str, ...]:
        """The terms of the first of the keys that has any."""
        for key, value in self._under(names):
            terms = self._terms(key, value, split=split)
            if terms:
                self._read.add(key)
                return terms
        return ()

    def merged(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The terms of all the keys, in the order of the keys."""
        found: list[str] = []
        for key, value in self._under(names):
            self._read.add(key)
            found += self._terms(key, value, split=True)
        return distinct(found)

    def rest(self) -> dict[str, Json]:
        """The fields that were not read."""
        return {key: value for key, value in self._fields.items() if key not in self._read}

    def _under(self, names: tuple[str, ...]) -> Iterator[tuple[str, Json]]:
        for name in names:
            for key, value in self._fields.items():
                if fold(key) == fold(name):
                    if value is None:
                        self._read.add(key)
                    yield key, value

    def _terms(self, key: str, value: Json, *, split: bool) -> tuple[str, ...]:
        texts = list(flatten(value, split=split))
        if None in texts:
            self.issues.append(
                warn(
                    self._source,
                    "unread_value",
                    f"A value of '{key}' is a mapping without one clear reading; it was left out.",
                    "Write a list of texts.",
                )
            )
        return distinct(without_tag_mark(text) for text in texts)
