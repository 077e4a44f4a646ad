"""Graded L0: how much of a query's words a note's title and keywords share, weighted by rarity."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from retrieval.text import content_words
from retrieval.types import Entry


@dataclass(frozen=True, slots=True)
class Overlap:
    """The shared words of one note, and their rarity-weighted cosine with the query (0..1)."""

    position: int
    score: float
    words: tuple[str, ...]


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

    def _post(
        self, own: list[list[str]]
    ) -> dict[str, tuple[NDArray[np.int32], NDArray[np.float32]]]:
        postings: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        for position, words in enumerate(own):
            weights = [self.rarity(word) for word in words]
            length = math.sqrt(sum(weight * weight for weight in weights))
            for word, weight in zip(words, weights, strict=True):
                postings[word].append((position, weight / length))
        return {
            word: (
                np.fromiter((p for p, _ in rows), np.int32, len(rows)),
                np.fromiter((w for _, w in rows), np.float32, len(rows)),
            )
            for word, rows in postings.items()
        }

    def rarity(self, word: str) -> float:
        """The word's idf; above 0 for every word, highest for one that no note holds."""
        count = self._notes_with[word]
        return math.log(1 + (self._size - count + 0.5) / (count + 0.5))

    def relative_rarity(self, words: Sequence[str]) -> float:
        """Sum of the distinct words' idf, in units of the idf of a word that one note holds."""
        unit = math.log(1 + (self._size - 0.5) / 1.5)
        return sum(self.rarity(word) for word in set(words)) / unit if unit > 0 else 0.0

    def overlaps(self, query: str) -> list[Overlap]:
        """Every note that shares a word with the query, by position; cosine of idf vectors."""
        words = list(dict.fromkeys(content_words(query)))
        length = math.sqrt(sum(self.rarity(word) ** 2 for word in words))
        scores: defaultdict[int, float] = defaultdict(float)
        shared: defaultdict[int, list[str]] = defaultdict(list)
        for word in words:
            if word not in self._postings:
                continue
            weight = self.rarity(word) / length
            positions, weights = self._postings[word]
            for position, other in zip(positions.tolist(), weights.tolist(), strict=True):
                scores[position] += weight * other
                shared[position].append(word)
        return [
            Overlap(position, min(score, 1.0), tuple(shared[position]))
            for position, score in sorted(scores.items())
        ]
