"""Graded L0: how much of a query's words a note's title and keywords share, weighted by rarity."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from retrieval.text import content_words
from retrieval.types import Entry

FIRST_LOOK = 128
"""Postings of each word that are read at first."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """The shared words of one note, and their rarity-weighted cosine with the query (0..1)."""

    position: int
    score: float
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Posting:
    """The notes whose headline holds a word, by position, and the word's weight in each."""

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
        """The word's weight in these notes; 0 where it does not stand."""
        found = np.searchsorted(self.positions, positions)
        found[found == len(self.positions)] = 0
        return np.where(self.positions[found] == positions, self.weights[found], 0.0)


_Asked = tuple[str, _Posting, float]
"""A word of the query, where it stands, and its weight in the query."""


@dataclass(frozen=True, slots=True)
class _Compared:
    """Some notes beside the words of a query."""

    words: Sequence[str]
    positions: list[int]
    weights: NDArray[np.float64]
    """Shape (words, notes): each word's weight in each note."""
    scores: NDArray[np.float64]

    @classmethod
    def of(cls, asked: Sequence[_Asked], positions: NDArray[np.int32]) -> "_Compared":
        """The notes at these positions, in ascending order where equal ones are to stand so."""
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

    def overlap(self, column: int) -> Overlap:
        held = np.flatnonzero(self.weights[:, column]).tolist()
        score = min(float(self.scores[column]), 1.0)
        return Overlap(self.positions[column], score, tuple(self.words[row] for row in held))


class HeadlineIndex:
    """Words of all notes' headlines: title, keywords and entities to compare a query with,
    headings besides to know how common a word is.

    Rarity is the idf of Robertson and Spärck Jones, ln(1 + (N − n + ½) / (n + ½)), over notes.
    """

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._size = len(entries)
        self._notes_with: Counter[str] = Counter()
        own: list[list[str]] = []
        for entry in entries:
            terms = " \n ".join((entry.title, *entry.keywords, *entry.entities))
            words = list(dict.fromkeys(content_words(terms)))
            own.append(words)
            headings = {part for passage in entry.passages for part in passage.breadcrumb}
            self._notes_with.update(set(words).union(content_words(" \n ".join(headings))))
        self._postings = self._post(own)

    def _post(self, own: list[list[str]]) -> dict[str, _Posting]:
        postings: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        for position, words in enumerate(own):
            weights = [self.rarity(word) for word in words]
            length = math.sqrt(sum(weight * weight for weight in weights))
            for word, weight in zip(words, weights, strict=True):
                postings[word].append((position, weight / length))
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
        """What each of these notes shares with the query, by position; cosine of idf vectors.

        Notes that share no word are left out.
        """
        compared = _Compared.of(self._ask(query), np.fromiter(positions, np.int32))
        found = map(compared.overlap, np.flatnonzero(compared.scores).tolist())
        return {overlap.position: overlap for overlap in found}

    def nearest(
        self, query: str, limit: int, admits: Callable[[int], bool] = lambda _: True
    ) -> list[Overlap]:
        """The admitted notes that share most with the query, best first, equal ones by position.

        Of a word that stands in very many notes only the first postings are read: the threshold
        algorithm of Fagin, Lotem and Naor 2003, "Optimal aggregation algorithms for middleware".
        """
        asked = self._ask(query)
        depth = max(FIRST_LOOK, limit)
        while asked:
            seen = [posting.positions[posting.by_weight[:depth]] for _, posting, _ in asked]
            compared = _Compared.of(asked, np.unique(np.concatenate(seen)))
            admitted = (row for row in compared.best_first() if admits(compared.positions[row]))
            best = [compared.overlap(row) for row in islice(admitted, limit)]
            if self._is_settled(asked, depth, best, limit):
                return best
            depth *= 8
        return []

    @staticmethod
    def _is_settled(
        asked: Sequence[_Asked],
        depth: int,
        best: Sequence[Overlap],
        limit: int,
    ) -> bool:
        """True when no note that was not read yet can stand among the best."""
        unread = [
            (posting, weight) for _, posting, weight in asked if len(posting.positions) > depth
        ]
        if not unread:
            return True
        if len(best) < limit:
            return False
        # A note that was not read weighs at most this, and when just as much, it stands behind the
        # last that was read of every word.
        highest, behind = 0.0, 0
        for posting, weight in unread:
            last = int(posting.by_weight[depth - 1])
            highest += weight * float(posting.weights[last])
            behind = max(behind, int(posting.positions[last]))
        last_best = best[-1]
        return (-last_best.score, last_best.position) <= (-min(highest, 1.0), behind)

    def _ask(self, query: str) -> list[_Asked]:
        """The query's words that stand in headlines, each with its weight in the query."""
        words = list(dict.fromkeys(content_words(query)))
        length = math.sqrt(sum(self.rarity(word) ** 2 for word in words))
        known = [(word, self._postings[word]) for word in words if word in self._postings]
        return [(word, posting, self.rarity(word) / length) for word, posting in known]
