"""Graded L0: how much of a query's words a note's headlines share, weighted by rarity.

A note's first headline is its title with its keywords and entities; each of its headings is another
one. A query is compared with each headline by itself, and the note has the best of them: a short
query that names a section finds it, however many sections a note has.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from retrieval.text import content_words
from retrieval.types import Entry

FIRST_LOOK = 128
"""Postings of each word that are read at first."""
HEADING_SHARE = 0.8
"""What a heading's cosine counts beside the one of title and keywords, which speak for all of the
note."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """The shared words of one note, and their rarity-weighted cosine with the query (0..1)."""

    position: int
    score: float
    words: tuple[str, ...]
    heading: str | None = None
    """The heading that shares them; None when they stand in title, keywords and entities."""


@dataclass(frozen=True, slots=True)
class _Posting:
    """The headlines that hold a word, by position, and the word's weight in each."""

    positions: NDArray[np.int32]
    weights: NDArray[np.float64]
    by_weight: NDArray[np.intp]
    """Heaviest first, then by position."""

    @classmethod
    def of(cls, rows: Sequence[tuple[int, float]]) -> "_Posting":
        positions = np.fromiter((p for p, _ in rows), np.int32, len(rows))
        # Weights that differ by less than single precision are equal.
        weights = np.fromiter((w for _, w in rows), np.float32, len(rows)).astype(np.float64)
        return cls(positions, weights, np.argsort(-weights, kind="stable"))

    def weights_of(self, positions: NDArray[np.int32]) -> NDArray[np.float64]:
        """The word's weight in these headlines; 0 where it does not stand."""
        found = np.searchsorted(self.positions, positions)
        found[found == len(self.positions)] = 0
        return np.where(self.positions[found] == positions, self.weights[found], 0.0)


_Asked = tuple[str, _Posting, float]
"""A word of the query, where it stands, and its weight in the query."""


@dataclass(frozen=True, slots=True)
class _Compared:
    """Some headlines beside the words of a query."""

    words: Sequence[str]
    positions: list[int]
    weights: NDArray[np.float64]
    """Shape (words, headlines): each word's weight in each headline."""
    scores: NDArray[np.float64]

    @classmethod
    def of(cls, asked: Sequence[_Asked], positions: NDArray[np.int32]) -> "_Compared":
        """The headlines at these positions, ascending where equal ones are to stand so."""
        weights = np.zeros((len(asked), len(positions)))
        scores = np.zeros(len(positions))
        for row, (_, posting, weight) in zip(weights, asked, strict=True):
            row[:] = posting.weights_of(positions)
            scores += weight * row
        return cls([word for word, _, _ in asked], positions.tolist(), weights, scores)

    def best_first(self) -> list[int]:
        """The columns by score, equal ones in their own order."""
        order: list[int] = np.argsort(-np.minimum(self.scores, 1.0), kind="stable").tolist()
        return order

    def shared(self, column: int) -> tuple[float, tuple[str, ...]]:
        """The headline's cosine with the query, and the words that it shares."""
        held = np.flatnonzero(self.weights[:, column]).tolist()
        return min(float(self.scores[column]), 1.0), tuple(self.words[row] for row in held)

    def place(self, column: int) -> tuple[float, int]:
        """What orders the headline among others: score, highest first, then position."""
        return -min(float(self.scores[column]), 1.0), self.positions[column]


class HeadlineIndex:
    """Words of all notes' headlines, to compare a query with and to know how common a word is.

    Rarity is the idf of Robertson and Spärck Jones, ln(1 + (N − n + ½) / (n + ½)), over notes.
    """

    def __init__(self, entries: Sequence[Entry], *, heading_share: float = HEADING_SHARE) -> None:
        self._size = len(entries)
        self._heading_share = heading_share
        self._notes_with: Counter[str] = Counter()
        self._headings: list[str | None] = []
        notes: list[int] = []
        words: list[list[str]] = []
        for position, entry in enumerate(entries):
            named = " \n ".join((entry.title, *entry.keywords, *entry.entities))
            own: dict[str | None, list[str]] = {None: _distinct_words(named)}
            # In a `dict`, so that the order does not hang on the hash of a process.
            parts = dict.fromkeys(part for p in entry.passages for part in p.breadcrumb)
            own |= {part: _distinct_words(part) for part in parts}
            self._notes_with.update(set().union(*own.values()))
            kept = {heading: held for heading, held in own.items() if held != own[None]}
            for heading, held in ((None, own[None]), *kept.items()):
                notes.append(position)
                self._headings.append(heading)
                words.append(held)
        self._note_of = np.array(notes, dtype=np.int32)
        """Headline → position of its note; the headlines of a note stand together."""
        self._postings = self._post(words)

    def _post(self, headlines: list[list[str]]) -> dict[str, _Posting]:
        postings: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        rarity = {word: self.rarity(word) for word in self._notes_with}
        for position, words in enumerate(headlines):
            weights = [rarity[word] for word in words]
            length = math.sqrt(sum(weight * weight for weight in weights))
            share = 1.0 if self._headings[position] is None else self._heading_share
            for word, weight in zip(words, weights, strict=True):
                postings[word].append((position, share * weight / length))
        return {word: _Posting.of(rows) for word, rows in postings.items()}

    def rarity(self, word: str) -> float:
        """The word's idf; above 0 for every word, highest for one that no note holds."""
        count = self._notes_with[word]
        return math.log(1 + (self._size - count + 0.5) / (count + 0.5))

    def relative_rarity(self, words: Sequence[str]) -> float:
        """Sum of the distinct words' idf, in units of the idf of a word that one note holds."""
        unit = math.log(1 + (self._size - 0.5) / 1.5)
        return sum(self.rarity(word) for word in set(words)) / unit if unit > 0 else 0.0

    def overlaps(self, query: str, positions: Iterable[int]) -> dict[int, Overlap]:
        """What each of these notes shares with the query in its best headline, by position.

        Notes that share no word are left out.
        """
        wanted = np.fromiter(positions, np.int32)
        headlines = np.flatnonzero(np.isin(self._note_of, wanted)).astype(np.int32)
        compared = _Compared.of(self._ask(query), headlines)
        sharing = (column for column in compared.best_first() if compared.scores[column])
        found = (self._overlap(compared, c) for c in self._first_of_notes(compared, sharing))
        return {overlap.position: overlap for overlap in found}

    def nearest(
        self, query: str, limit: int, admits: Callable[[int], bool] = lambda _: True
    ) -> list[Overlap]:
        """The admitted notes that share most with the query, best first, equal ones by position.

        Of a word that stands in very many headlines only the first postings are read: the threshold
        algorithm of Fagin, Lotem and Naor 2003, "Optimal aggregation algorithms for middleware".
        """
        asked = self._ask(query)
        depth = max(FIRST_LOOK, limit)
        while asked:
            seen = [posting.positions[posting.by_weight[:depth]] for _, posting, _ in asked]
            compared = _Compared.of(asked, np.unique(np.concatenate(seen)))
            admitted = (
                column
                for column in compared.best_first()
                if admits(int(self._note_of[compared.positions[column]]))
            )
            columns = list(islice(self._first_of_notes(compared, admitted), limit))
            last = compared.place(columns[-1]) if len(columns) == limit else None
            if self._is_settled(asked, depth, last):
                return [self._overlap(compared, column) for column in columns]
            depth *= 8
        return []

    def _first_of_notes(self, compared: _Compared, columns: Iterable[int]) -> Iterator[int]:
        """The columns without those of a note that came before."""
        seen: set[int] = set()
        for column in columns:
            note = int(self._note_of[compared.positions[column]])
            if note not in seen:
                seen.add(note)
                yield column

    def _overlap(self, compared: _Compared, column: int) -> Overlap:
        headline = compared.positions[column]
        score, words = compared.shared(column)
        return Overlap(int(self._note_of[headline]), score, words, self._headings[headline])

    @staticmethod
    def _is_settled(asked: Sequence[_Asked], depth: int, last: tuple[float, int] | None) -> bool:
        """True when no headline that was not read yet can stand before the `last` of the best."""
        unread = [
            (posting, weight) for _, posting, weight in asked if len(posting.positions) > depth
        ]
        if not unread:
            return True
        if last is None:
            return False
        # A headline that was not read weighs at most this, and when just as much, it stands behind
        # the last that was read of every word.
        highest, behind = 0.0, 0
        for posting, weight in unread:
            lightest = int(posting.by_weight[depth - 1])
            highest += weight * float(posting.weights[lightest])
            behind = max(behind, int(posting.positions[lightest]))
        return last <= (-min(highest, 1.0), behind)

    def _ask(self, query: str) -> list[_Asked]:
        """The query's words that stand in headlines, each with its weight in the query."""
        words = _distinct_words(query)
        length = math.sqrt(sum(self.rarity(word) ** 2 for word in words))
        known = [(word, self._postings[word]) for word in words if word in self._postings]
        return [(word, posting, self.rarity(word) / length) for word, posting in known]


def _distinct_words(text: str) -> list[str]:
    return list(dict.fromkeys(content_words(text)))
