"""The embedders that cases name, and a count of what they were asked."""

import re
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from retrieval.semantic.embedding import Embedder, open_embedder
from retrieval.settings import EmbeddingSection

_TEST_NAME = re.compile(r"test-hash-(\d+)\w*")


class CountingEmbedder(Embedder):
    """The embedder, with the number of queries that it embedded."""

    queries = 0

    def embed_query(self, text: str) -> NDArray[np.float32]:
        self.queries += 1
        return super().embed_query(text)


def open_counting(name: str, window: int = 256) -> CountingEmbedder:
    """The embedder `name`; `test-hash-64b` is another model than `test-hash-64`."""
    test = _TEST_NAME.fullmatch(name)
    inner = _open(f"hash:{test[1]}" if test else name, window)
    spec = replace(inner.spec, name=name, digest=name) if test else inner.spec
    return CountingEmbedder(spec, measure=inner.measure, load=lambda: inner.model)


@lru_cache(maxsize=8)
def _open(model: str, window: int) -> Embedder:
    return open_embedder(EmbeddingSection(model=model, window=window))
