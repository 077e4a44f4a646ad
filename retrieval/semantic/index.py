"""The passage vectors of one index generation in Chroma, asked through LlamaIndex.

With `connection` this is the only module that imports chromadb. A generation's folder is its own
path, and it never changes once it is published: Chroma caches clients by path, and a client does
not find what another process adds later.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import chromadb
import numpy as np
from chromadb.config import Settings as ChromaSettings
from chromadb.errors import ChromaError
from llama_index.core.vector_stores.types import VectorStoreQuery
from numpy.typing import NDArray

from retrieval.errors import IndexDamaged, IndexMismatch, IndexUnwritable
from retrieval.semantic.filters import Resolve, Row, to_filters
from retrieval.semantic.generations import FREE_SPACE, REBUILD
from retrieval.semantic.matrix import PassageMatrix
from retrieval.semantic.passage_store import PassageStore
from retrieval.types import Condition

_COLLECTION = "passages"
# Chroma shares one system among the clients of a path, and starts and stops it without a lock.
_clients = threading.RLock()
# Wider than Chroma's 100/100: with these an approximate search practically equals an exact one,
# and an updated index answers like one built anew. Embedding, not this, is the cost of indexing.
_HNSW = {"space": "cosine", "ef_construction": 200, "ef_search": 300}
_SQL_SLICE = 500
_FILTERS = 64  # of as many the translation is remembered


class VectorStore:
    """Stored unit vectors with the metadata of their notes. Close it after use."""

    def __init__(
        self,
        client: Any,
        place: str,
        *,
        name: str = _COLLECTION,
        create: bool = False,
        slots: Mapping[str, int] | None = None,
        resolve: Resolve | None = None,
        matrix: PassageMatrix | None = None,
    ) -> None:
        self.place = place
        stored, admitted = slots or {}, resolve or (lambda _: ())

        @lru_cache(maxsize=_FILTERS)
        def translate(category: str | None, conditions: tuple[Condition, ...]) -> Any:
            return to_filters(category, conditions, slots=stored, resolve=admitted)

        self._translate = translate
        self._client = client
        with self._damage():
            self._collection = (
                client.create_collection(
                    name, configuration={"hnsw": _HNSW}, embedding_function=None
                )
                if create
                else client.get_collection(name, embedding_function=None)
            )
            self._count = int(self._collection.count())
        self._matrix = matrix
        self._store = PassageStore(self._collection, matrix)

    @classmethod
    def create(cls, folder: Path) -> "VectorStore":
        """A new, empty store in the folder."""
        return cls(_open_client(folder), str(folder), create=True)

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        slots: Mapping[str, int] | None = None,
        resolve: Resolve | None = None,
        matrix: PassageMatrix | None = None,
    ) -> "VectorStore":
        """The store in the folder. Raises `IndexDamaged` when it cannot be opened.

        `slots` and `resolve` are what `filters.to_filters` needs to build a filter; `matrix` has
        the same vectors, and answers requests with one.
        """
        if not (folder / "chroma.sqlite3").is_file():
            # Chroma would create an empty one.
            raise IndexDamaged(f"The index has no vectors in {folder}.", next_action=REBUILD)
        client = _open_client(folder)
        try:
            return cls(client, str(folder), slots=slots, resolve=resolve, matrix=matrix)
        except IndexDamaged:
            client.close()
            raise

    def __len__(self) -> int:
        return self._count

    def add(self, ids: Sequence[str], vectors: NDArray[np.float32], rows: Sequence[Row]) -> None:
        """Stores vectors, shape (number of ids, dimension), under ids that are not in use."""
        step = self._batch(vectors.shape[-1])
        with self._failed_write():
            for start in range(0, len(ids), step):
                part = slice(start, start + step)
                # Not `add`, so that a batch whose answer got lost can be sent again.
                self._collection.upsert(
                    ids=list(ids[part]),
                    embeddings=vectors[part],
                    metadatas=list(rows[part]),
                )
            self._count = int(self._collection.count())

    def delete(self, ids: Sequence[str]) -> None:
        """Removes these ids; unknown ones do not matter."""
        step = self._batch(0)
        with self._failed_write():
            for start in range(0, len(ids), step):
                self._collection.delete(ids=list(ids[start : start + step]))
            self._count = int(self._collection.count())

    def vectors(self, ids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The stored vectors of those ids that exist."""
        if self._matrix is not None:
            return self._matrix.vectors(ids)
        found: dict[str, NDArray[np.float32]] = {}
        with self._damage():
            for start in range(0, len(ids), _SQL_SLICE):
                part = list(ids[start : start + _SQL_SLICE])
                got = self._collection.get(ids=part, include=["embeddings"])
                rows = np.asarray(got["embeddings"], dtype=np.float32)
                self._check_finite(rows)
                found.update(zip(got["ids"], rows, strict=True))
        return found

    def query(
        self,
        vector: NDArray[np.float32],
        limit: int,
        category: str | None = None,
        conditions: Sequence[Condition] = (),
    ) -> list[tuple[str, float]]:
        """(passage id, cosine) of the nearest passages that the filter admits, nearest first.

        Empty when none does, when nothing is stored, and for a zero vector, which is near nothing.
        """
        limit = min(limit, self._count)
        if limit < 1 or not vector.any():
            return []
        request = VectorStoreQuery(
            query_embedding=vector.tolist(),
            similarity_top_k=limit,
            filters=self._translate(category, tuple(conditions)),
        )
        with self._damage(dimension=len(vector)):
            result = self._store.query(request)
        similarities = result.similarities or []
        self._check_finite(np.asarray(similarities, dtype=np.float64))
        scored = zip(result.ids or [], similarities, strict=True)
        return [(pid, min(1.0, max(-1.0, cosine))) for pid, cosine in scored]

    def cosines(self, vector: NDArray[np.float32], passage_ids: Sequence[str]) -> dict[str, float]:
        """The cosine of each of these passages that is stored."""
        if self._matrix is not None:
            return self._matrix.cosines(vector, passage_ids)
        stored = self.vectors(passage_ids)
        if not stored:
            return {}
        values = np.stack(list(stored.values())) @ vector
        return dict(zip(stored, np.clip(values, -1.0, 1.0).tolist(), strict=True))

    def probe(self, expected: int) -> None:
        """Raises `IndexDamaged` unless there are as many vectors as expected and they answer."""
        if self._count != expected:
            raise IndexDamaged(
                f"The index holds {self._count} vectors, but {expected} were written.",
                next_action=REBUILD,
            )
        if not expected:
            return
        with self._damage():
            first = self._collection.get(limit=1, include=["embeddings"])
            vector = np.asarray(first["embeddings"], dtype=np.float32)[0]
            found = self._collection.query(
                query_embeddings=vector, n_results=1, include=["distances"]
            )
        if not found["ids"][0]:
            raise IndexDamaged("The index does not find what it holds.", next_action=REBUILD)

    def close(self) -> None:
        """Releases the folder; the store cannot be used afterwards."""
        with _clients:
            self._client.close()

    def _check_finite(self, values: NDArray[Any]) -> None:
        if not np.isfinite(values).all():
            raise IndexDamaged(
                f"Vectors in {self.place} are not made of numbers.",
                next_action="Run `lookup-knowledge index --full`.",
            )

    def _batch(self, dimension: int) -> int:  # noqa: ARG002 - a server's depends on it
        return int(self._client.get_max_batch_size())

    @contextmanager
    def _failed_write(self) -> Iterator[None]:
        try:
            yield
        except ChromaError as error:
            raise IndexUnwritable(
                f"The vectors cannot be written to {self.place}: {error}.", next_action=FREE_SPACE
            ) from error

    @contextmanager
    def _damage(self, dimension: int | None = None) -> Iterator[None]:
        try:
            yield
        except chromadb.errors.InvalidArgumentError as error:
            if dimension is None:
                raise
            raise IndexMismatch(
                f"The index does not take a query of {dimension} dimensions: {error}.",
                next_action=REBUILD,
            ) from error
        except ChromaError as error:
            raise IndexDamaged(
                f"The vectors in {self.place} cannot be read: {error}.", next_action=REBUILD
            ) from error


def _open_client(folder: Path) -> Any:
    # Chroma would take settings from a `.env` in the working folder.
    settings = ChromaSettings(_env_file=None, anonymized_telemetry=False)  # type: ignore[call-arg]
    try:
        with _clients:
            return chromadb.PersistentClient(str(folder), settings=settings)
    # Chroma keeps a client whose start failed: from the second time on it lacks attributes.
    except (ChromaError, AttributeError) as error:
        raise IndexDamaged(
            f"The vectors in {folder} cannot be opened: {error}.", next_action=REBUILD
        ) from error
