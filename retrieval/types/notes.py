"""Notes, their passages, and what a load of them met."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from retrieval.types.literals import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of one note that is small enough to embed, cut along its headings."""

    id: str
    """`<source>#<ordinal>`; unique in the knowledge base."""
    source: str
    ordinal: int
    breadcrumb: tuple[str, ...]
    """Headings from the top down to the passage's own; `(title,)` before the first heading."""
    text: str
    line_start: int
    line_end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One note. Its identity is `source`, the path below the knowledge root."""

    source: str
    title: str
    keywords: tuple[str, ...] = ()
    """Keywords, tags and aliases as the author wrote them, repeats dropped."""
    categories: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    """Entities that the author named."""
    derived_entities: tuple[str, ...] = ()
    """Acronyms, code identifiers and CamelCase names found in title, headings and keywords."""
    metadata: Mapping[str, Json] = field(default_factory=dict)
    """All other frontmatter, JSON-safe; scalars are text as written."""
    passages: tuple[Passage, ...] = ()
    content_hash: str = ""
    """sha256 of the file's bytes, hexadecimal."""

    @property
    def category(self) -> str | None:
        """The first category, or None."""
        return self.categories[0] if self.categories else None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadIssue:
    """Something that a curator should know about one file."""

    source: str
    severity: Literal["error", "warning"]
    code: str
    message: str
    line: int | None = None
    next_action: str = ""

    def __str__(self) -> str:
        where = f"{self.source}:{self.line}" if self.line else self.source
        tail = f" {self.next_action}" if self.next_action else ""
        return f"{where}: {self.message}{tail}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadReport:
    """What a load of the knowledge root met: an error is a file that is not in the result."""

    loaded: int = 0
    issues: tuple[LoadIssue, ...] = ()

    @property
    def errors(self) -> tuple[LoadIssue, ...]:
        return tuple(i for i in self.issues if i.severity == "error")

    @property
    def warnings(self) -> tuple[LoadIssue, ...]:
        return tuple(i for i in self.issues if i.severity == "warning")
