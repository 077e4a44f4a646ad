"""What a rule is, what it sees, and what it finds."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, get_args

from retrieval.knowledge.loading import Knowledge
from retrieval.overlap import HeadlineIndex
from retrieval.text import singular, term_key, tokens
from retrieval.types import Json

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A query that was logged or labelled, and the notes that answered it."""

    query: str
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing to correct in one note."""

    rule: str
    severity: Severity
    source: str
    message: str
    next_action: str
    line: int | None = None
    data: Mapping[str, Json] = field(default_factory=dict)
    """What the message says, for programs; a keyword's finding has `term`, `sources`, `domains`."""

    def __str__(self) -> str:
        where = f"{self.source}:{self.line}" if self.line else self.source
        return f"{where}: {self.message} {self.next_action}".rstrip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One keyword, over all notes that have it, whatever its spelling there."""

    key: tuple[str, ...]
    written: str
    """As the first of its notes writes it."""
    sources: tuple[str, ...]
    domains: tuple[str, ...]
    """Categories of its notes, by name; repeats dropped."""


@dataclass(frozen=True, kw_only=True)
class Notes:
    """What the rules look at; what several of them need is worked out once."""

    knowledge: Knowledge
    texts: Mapping[str, str]
    """The files' text, by source, where a rule needs lines."""
    asked: tuple[Asked, ...] = ()

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """Every keyword of the notes, in their order."""
        found: dict[tuple[str, ...], tuple[str, dict[str, None], dict[str, None]]] = {}
        for entry in self.knowledge.entries:
            for word in entry.keywords:
                _, sources, domains = found.setdefault(term_key(word), (word, {}, {}))
                sources[entry.source] = None
                domains.update(dict.fromkeys(entry.categories))
        return tuple(
            Term(key=key, written=word, sources=tuple(sources), domains=tuple(domains))
            for key, (word, sources, domains) in found.items()
        )

    @cached_property
    def headlines(self) -> HeadlineIndex:
        """How rare each word is in the notes' headlines."""
        return HeadlineIndex(self.knowledge.entries)

    def touched(self, key: tuple[str, ...]) -> list[str]:
        """The asked queries in which a term stands, as whole words."""
        return [
            query
            for query, keys in self._asked_keys
            if any(keys[i : i + len(key)] == key for i in range(len(keys) - len(key) + 1))
        ]

    @cached_property
    def _asked_keys(self) -> list[tuple[str, tuple[str, ...]]]:
        return [
            (query, tuple(singular(token.text) for token in tokens(query)))
            for query in dict.fromkeys(asked.query for asked in self.asked)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A check with its explanation."""

    id: str
    severity: Severity
    why: str
    """What it does to retrieval, in one sentence."""
    example: str
    """What it finds, in markdown."""
    check: Callable[[Notes], Iterator[Finding]]


def at_least(severity: Severity, threshold: Severity) -> bool:
    """True when a finding of this severity counts from the threshold on."""
    order = get_args(Severity)
    return order.index(severity) <= order.index(threshold)
