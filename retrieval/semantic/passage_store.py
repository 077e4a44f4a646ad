"""The LlamaIndex store that executes a `VectorStoreQuery`: ids and cosines, nothing besides."""

from typing import Any

import numpy as np
from llama_index.core.vector_stores.types import VectorStoreQuery, VectorStoreQueryResult
from llama_index.vector_stores.chroma import ChromaVectorStore
from pydantic import PrivateAttr

from retrieval.semantic.matrix import PassageMatrix


class PassageStore(ChromaVectorStore):
    """Chroma through LlamaIndex, without a node for each hit; the notes are at hand anyway.

    A request with filters is executed exactly on the matrix, where there is one. Similarities are
    cosines, where those of LlamaIndex's own store are exp(-distance).
    """

    _matrix: PassageMatrix | None = PrivateAttr(default=None)

    def __init__(self, collection: Any, matrix: PassageMatrix | None = None) -> None:
        super().__init__(chroma_collection=collection)
        self._matrix = matrix

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """Ids and cosines of the nearest passages that the request's filters admit."""
        if self._matrix is None or query.filters is None:
            return super().query(query, **kwargs)
        vector = np.asarray(query.query_embedding, dtype=np.float32)
        found = self._matrix.query(vector, query.similarity_top_k, query.filters)
        return VectorStoreQueryResult(
            ids=[pid for pid, _ in found], similarities=[cosine for _, cosine in found]
        )

    def _query(
        self, query_embeddings: list[float], n_results: int, where: Any, **kwargs: Any
    ) -> VectorStoreQueryResult:
        # What the store of LlamaIndex calls once it has translated the filters.
        found = self._collection.query(
            query_embeddings=query_embeddings,
            n_results=n_results,
            where=where or None,
            include=["distances"],
            **kwargs,
        )
        distances = (found["distances"] or [[]])[0]
        return VectorStoreQueryResult(
            ids=found["ids"][0], similarities=[1.0 - float(distance) for distance in distances]
        )
