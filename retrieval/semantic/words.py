"""Texts as runs of word numbers, and the vocabulary that gives the numbers out."""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from retrieval.text import content_words

Ids: TypeAlias = NDArray[np.int32]


class WordRuns:
    """Texts as runs of word numbers in one array."""

    def __init__(self, words: Ids, ends: NDArray[np.int64]) -> None:
        self.words = words
        self.ends = ends

    @classmethod
    def of(cls, texts: Sequence[Ids]) -> "WordRuns":
        words = np.concatenate([np.zeros(0, dtype=np.int32), *texts])
        return cls(words, np.array(list(accumulate(map(len, texts))), dtype=np.int64))

    def __getitem__(self, position: int) -> Ids:
        start = int(self.ends[position - 1]) if position else 0
        return self.words[start : int(self.ends[position])]

    def __len__(self) -> int:
        return len(self.ends)


class Vocabulary:
    """Numbers for words, given out as the words come; starts from those of an earlier index."""

    def __init__(self, words: Iterable[str]) -> None:
        self.numbers = {word: number for number, word in enumerate(words)}

    def read(self, text: str) -> Ids:
        numbers = self.numbers
        found = [numbers.setdefault(word, len(numbers)) for word in content_words(text)]
        return np.array(found, dtype=np.int32)


NO_RUNS = WordRuns.of(())
