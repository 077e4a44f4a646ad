"""Why none of a note's terms stands in a query: the term that came nearest, and what it lacked."""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from retrieval.hints import LENGTH_FLOOR, L0Index
from retrieval.text import (
    STOP_WORDS,
    content_words,
    fold,
    singular,
    term_key,
    tokens,
    written_forms,
)
from retrieval.types import Entry, TermField

MissKind = Literal[
    "too_common",
    "too_short",
    "stop_words",
    "words_apart",
    "other_form",
    "words_missing",
    "spelling",
]
SPELLING_CUTOFF = 0.75
"""Similarity (difflib's ratio) from which a word of the query counts as another's misspelling."""
_ORDER: dict[MissKind, int] = {
    "too_common": 0,
    "too_short": 0,
    "stop_words": 0,
    "words_apart": 1,
    "other_form": 1,
    "words_missing": 2,
    "spelling": 3,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TermMiss:
    """One term of a note that does not match, and why."""

    term: str
    field: TermField
    kind: MissKind
    text: str
    """The reason as a clause."""


def nearest_miss(query: str, entry: Entry, l0: L0Index) -> TermMiss | None:
    """The term of a note without a match that came nearest; None when nothing is near.

    First a term that stands in the query and is refused, then one with all its words there, then
    the one whose words there are rarest, then a likely misspelling.
    """
    words = content_words(query)
    best: tuple[tuple[float, ...], TermMiss] | None = None
    for term, field in _terms(entry):
        miss = _judge(query, words, term, field, l0)
        if miss is None:
            continue
        shared = set(content_words(term)).intersection(words)
        order = (float(_ORDER[miss.kind]), -sum(l0.headlines.rarity(word) for word in shared))
        if best is None or order < best[0]:
            best = (order, miss)
    return best[1] if best else None


def missing_words(query: str, entry: Entry) -> tuple[str, ...]:
    """The query's words that no title, keyword or entity of the note has, in the query's form."""
    own = {word for term, _ in _terms(entry) for word in content_words(term)}
    written = written_forms(query)
    lacking = [word for word in content_words(query) if word not in own]
    return tuple(dict.fromkeys(written.get(word, word) for word in lacking))


def _terms(entry: Entry) -> Iterator[tuple[str, TermField]]:
    yield from ((keyword, "keyword") for keyword in entry.keywords)
    yield entry.title, "title"
    yield from ((name, "entity") for name in (*entry.entities, *entry.derived_entities))


def _judge(
    query: str, words: Sequence[str], term: str, field: TermField, l0: L0Index
) -> TermMiss | None:
    key = term_key(term)
    keys = tuple(singular(token.text) for token in tokens(query))
    if not key:
        return None

    def miss(kind: MissKind, text: str) -> TermMiss:
        return TermMiss(term=term, field=field, kind=kind, text=text)

    if any(keys[i : i + len(key)] == key for i in range(len(keys))):
        return miss(*_refusal(term, l0))
    own = content_words(term)
    shared = [word for word in own if word in words]
    if own and len(shared) == len(own):
        if set(key) <= set(keys):
            return miss("words_apart", "its words stand apart, or in another order")
        return miss("other_form", "its words stand there in another form")
    written = written_forms(term)
    lacking = [written.get(word, word) for word in own if word not in words]
    if shared:
        return miss("words_missing", f"the query lacks {_quote(lacking)}")
    asked = written_forms(query)
    for word in own:
        close = difflib.get_close_matches(word, words, n=1, cutoff=SPELLING_CUTOFF)
        if close and min(len(word), len(close[0])) >= LENGTH_FLOOR:
            there = asked.get(close[0], close[0])
            text = (
                f"the query has '{there}', which is only spelled like '{written.get(word, word)}'"
            )
            return miss("spelling", text)
    return None


def _refusal(term: str, l0: L0Index) -> tuple[MissKind, str]:
    """Why a term that stands in the query is no match."""
    if STOP_WORDS.issuperset(fold(term).split()):
        return "stop_words", "it stands there, but holds everyday words only"
    letters = sum(2 if not char.isascii() else 1 for char in term if char.isalnum())
    if letters < LENGTH_FLOOR:
        return "too_short", f"it stands there, but has fewer than {LENGTH_FLOOR} letters"
    notes = l0.notes_with(term)
    on = f"is a keyword of {notes} notes" if notes else "no author gave it as a keyword"
    return "too_common", f"it stands there, but {on} and its words are too common"


def _quote(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in dict.fromkeys(words))
