"""An embedder whose passages' vectors are drawn around a sample, with a clock at the query."""

import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from retrieval.semantic.embedding import Embedder

SAMPLE = 200


class SampledEmbedder(Embedder):
    """The real model for queries; passages lie around a sample that it embedded.

    So a large index is built in minutes. How many vectors there are and how they lie is what an
    approximate search and its filter depend on; which text each stands for is not.
    """

    def __init__(self, embedder: Embedder, seed: int = 3) -> None:
        super().__init__(embedder.spec, measure=embedder.measure, load=lambda: embedder.model)
        self._real = embedder
        self._chance = np.random.default_rng(seed)
        self._centres: NDArray[np.float32] | None = None
        self.query_seconds = 0.0
        """What the queries' embedding took so far."""

    def embed_sample(self, texts: Sequence[str]) -> None:
        """Embeds up to 200 of the texts: what all passages lie around from now on.

        Without it, the first passages are the sample.
        """
        self._centres = self._real.embed_passages(list(texts)[:SAMPLE])

    def embed_passages(
        self,
        texts: Sequence[str],
        progress: Callable[[int, int], None] | None = None,  # noqa: ARG002 - it takes no time
    ) -> NDArray[np.float32]:
        """One vector a text, at a random place around one of the sample."""
        if self._centres is None:
            self.embed_sample(texts)
        return self.scatter(len(texts))

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The real vector; its time is added to `query_seconds`."""
        started = time.perf_counter()
        vector = self._real.embed_query(text)
        self.query_seconds += time.perf_counter() - started
        return vector

    def scatter(self, number: int) -> NDArray[np.float32]:
        """So many unit vectors around the sample, which was embedded before."""
        if self._centres is None:
            raise RuntimeError("embed_sample() comes first")
        chosen = self._centres[self._chance.integers(0, len(self._centres), number)]
        noise = self._chance.standard_normal(chosen.shape) * 0.5 / chosen.shape[1] ** 0.5
        vectors = (chosen + noise).astype(np.float32)
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit
