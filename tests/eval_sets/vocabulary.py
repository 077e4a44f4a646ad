"""The words and terms of a knowledge base, as the rules of the strata look at them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from retrieval.text import content_words, fold, term_key, tokens
from retrieval.types import Entry


@dataclass(frozen=True)
class Vocabulary:
    """What the notes are called by; terms are titles and keywords (with tags and aliases)."""

    entries: Mapping[str, Entry]

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> "Vocabulary":
        """The vocabulary of these notes."""
        return cls({entry.source: entry for entry in entries})

    @cached_property
    def words(self) -> frozenset[str]:
        """Every folded word of every note, bodies included."""
        return frozenset(
            token.text
            for entry in self.entries.values()
            for text in (*terms(entry), *entry.entities, *(p.text for p in entry.passages))
            for token in tokens(text)
        )

    @cached_property
    def categories_of_word(self) -> Mapping[str, frozenset[str]]:
        """Content word → folded categories of the notes that have it in title or keywords."""
        found: dict[str, set[str]] = {}
        for entry in self.entries.values():
            for word in {word for term in terms(entry) for word in content_words(term)}:
                found.setdefault(word, set()).update(folded_categories(entry))
        return {word: frozenset(categories) for word, categories in found.items()}


def terms(entry: Entry) -> tuple[str, ...]:
    """Title and keywords of a note."""
    return (entry.title, *entry.keywords)


def folded_categories(entry: Entry) -> frozenset[str]:
    """The note's categories for comparing."""
    return frozenset(fold(category) for category in entry.categories)


def holds(query: str, term: str) -> bool:
    """True when the query has the term as L0 matches it: whole words, plurals alike."""
    return contains(_key(query), _key(term))


def holds_verbatim(query: str, term: str) -> bool:
    """True when the query has the term as it is written, but for case, hyphens and blanks."""
    return contains(_written(query), _written(term))


def contains(whole: tuple[str, ...], part: tuple[str, ...]) -> bool:
    """True when `part` is not empty and stands in `whole` without a gap."""
    size = len(part)
    return size > 0 and any(whole[i : i + size] == part for i in range(len(whole) - size + 1))


def edit_distance(a: str, b: str, limit: int) -> int:
    """Levenshtein distance of two words, `limit + 1` when it is larger than `limit`."""
    if abs(len(a) - len(b)) > limit:
        return limit + 1
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, start=1):
        diagonal, row[0] = row[0], i
        for j, right in enumerate(b, start=1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (left != right))
    return min(row[-1], limit + 1)


# A rule holds one query against the terms of all notes, and all queries against the same terms.
_key = lru_cache(maxsize=65536)(term_key)


@lru_cache(maxsize=65536)
def _written(text: str) -> tuple[str, ...]:
    return tuple(token.text for token in tokens(text))
