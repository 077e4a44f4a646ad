"""What `HybridRetriever` reads: vectors, words, and an embedder for the query."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from retrieval.types import Condition


class Vectors(Protocol):
    """The stored passage vectors of one index generation."""

    def query(
        self,
        vector: NDArray[np.float32],
        limit: int,
        category: str | None = None,
        conditions: Sequence[Condition] = (),
    ) -> list[tuple[str, float]]:
        """(passage id, cosine) of the nearest passages that the filter admits, nearest first."""

    def cosines(self, vector: NDArray[np.float32], passage_ids: Sequence[str]) -> dict[str, float]:
        """The cosine of each of these passages."""


class Words(Protocol):
    """BM25 over the same passages and their whole notes."""

    @property
    def passage_ids(self) -> Sequence[str]: ...
    @property
    def sources(self) -> Sequence[str]: ...

    def score_passages(self, words: Sequence[str]) -> NDArray[np.float32]: ...
    def score_entries(self, words: Sequence[str]) -> NDArray[np.float32]: ...
    def terms_in(
        self, passage_ids: Sequence[str], words: Sequence[str]
    ) -> dict[str, tuple[str, ...]]: ...


class OpenIndex(Protocol):
    """An index generation whose parts are opened when they are first asked for."""

    @property
    def is_open(self) -> bool: ...
    @property
    def vectors(self) -> Vectors: ...
    @property
    def fulltext(self) -> Words: ...


class QueryEmbedder(Protocol):
    """Turns a query into a unit vector."""

    @property
    def is_loaded(self) -> bool: ...
    def embed_query(self, text: str) -> NDArray[np.float32]: ...
