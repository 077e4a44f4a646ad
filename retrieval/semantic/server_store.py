"""Passage vectors in a collection on a Chroma server: read, and written for a new index."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress

import numpy as np
from numpy.typing import NDArray

from retrieval.errors import IndexUnavailable
from retrieval.knowledge import embedding_text
from retrieval.semantic.embedding import Embedder
from retrieval.semantic.filters import Resolve, Row, count_slots, to_row
from retrieval.semantic.generation import Generation
from retrieval.semantic.generations import EmbeddingIdentity, ServerIndex
from retrieval.semantic.index import VectorStore
from retrieval.semantic.server import ChromaServer
from retrieval.types import Condition, Entry

REQUEST_BYTES = 8_000_000
"""What one request to store vectors may hold: a server refuses 40 MB, a proxy often less."""
REQUEST_ROWS = 1000
_PAGE = 500
_TEXT = "text"  # the row's key with the digest of what was embedded


class ServerStore(VectorStore):
    """The vectors of one collection. The server is shared, and not closed with the store."""

    def __init__(
        self,
        server: ChromaServer,
        collection: str,
        *,
        create: bool = False,
        slots: Mapping[str, int] | None = None,
        resolve: Resolve | None = None,
        entries: Iterable[Entry] | None = None,
    ) -> None:
        """`entries` are this host's notes where they are not those that the vectors are of.

        Then only passages whose text is the same here are found.
        """
        self._server = server
        self._entries = entries
        self._same: frozenset[str] | None = None
        with server.asking():
            super().__init__(
                server.client,
                f"the Chroma server {server.settings.url}",
                name=collection,
                create=create,
                slots=slots,
                resolve=resolve,
            )

    def query(
        self,
        vector: NDArray[np.float32],
        limit: int,
        category: str | None = None,
        conditions: Sequence[Condition] = (),
    ) -> list[tuple[str, float]]:
        found = super().query(vector, limit, category, conditions)
        same = self._same_here()
        return found if same is None else [hit for hit in found if hit[0] in same]

    def vectors(self, ids: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        same = self._same_here()
        return super().vectors(ids if same is None else [pid for pid in ids if pid in same])

    def with_texts(self, texts: Mapping[str, str]) -> dict[str, NDArray[np.float32]]:
        """Text → its vector, for the passages (id → text) that are stored with just this text."""
        same = self._matching(texts)
        return {texts[pid]: vector for pid, vector in super().vectors(sorted(same)).items()}

    def close(self) -> None:
        """Nothing: other readers of this process use the same connections."""

    def _same_here(self) -> frozenset[str] | None:
        """The passages that are the same here; None when all are."""
        if self._entries is None:
            return None
        if self._same is None:
            texts = {p.id: embedding_text(e.title, p) for e in self._entries for p in e.passages}
            self._same = self._matching(texts)
        return self._same

    def _matching(self, texts: Mapping[str, str]) -> frozenset[str]:
        ids = list(texts)
        same: set[str] = set()
        with self._damage():
            for start in range(0, len(ids), _PAGE):
                got = self._collection.get(ids=ids[start : start + _PAGE], include=["metadatas"])
                for pid, row in zip(got["ids"], got["metadatas"], strict=True):
                    if row.get(_TEXT) == _digest(texts[pid]):
                        same.add(pid)
        return frozenset(same)

    def _batch(self, dimension: int) -> int:
        by_size = REQUEST_BYTES // (6 * dimension + 1000)  # base64, and some room for the row
        return max(1, min(super()._batch(dimension), REQUEST_ROWS, by_size))

    @contextmanager
    def _failed_write(self) -> Iterator[None]:
        with self._server.asking():
            yield

    @contextmanager
    def _damage(self, dimension: int | None = None) -> Iterator[None]:
        with self._server.asking(dimension):
            yield


def write_collection(
    server: ChromaServer,
    entries: Sequence[Entry],
    *,
    embedder: Embedder,
    sources: Sequence[Generation | ServerIndex],
    progress: Callable[[int, int], None] | None = None,
) -> tuple[str, EmbeddingIdentity, dict[str, int]]:
    """Writes a collection with a vector for each passage; it is not published yet.

    Vectors of texts that one of `sources` holds are taken over. Gives its name, what it was
    embedded with and the slots of its rows. A collection that could not be finished is deleted.
    """
    texts = {p.id: embedding_text(e.title, p) for e in entries for p in e.passages}
    stored: dict[str, NDArray[np.float32]] = {}
    for source in sources:
        missing = {pid: text for pid, text in texts.items() if text not in stored}
        if missing:
            stored.update(_take_over(server, source, missing))
    fresh = [text for text in dict.fromkeys(texts.values()) if text not in stored]
    stored.update(zip(fresh, embedder.embed_passages(fresh, progress), strict=True))
    slots = count_slots(entries)
    name = server.new_name()
    store = ServerStore(server, name, create=True)
    with ExitStack() as unfinished:
        unfinished.callback(_drop, server, name)
        if texts:
            rows: list[Row] = [
                row | {_TEXT: _digest(texts[passage.id])}
                for entry in entries
                for row in [to_row(entry, slots)]
                for passage in entry.passages
            ]
            store.add(list(texts), np.stack([stored[text] for text in texts.values()]), rows)
        store.probe(len(texts))
        unfinished.pop_all()
    return name, _identity(embedder, stored), slots


def _drop(server: ChromaServer, name: str) -> None:
    """Deletes a collection; one that cannot be deleted now is deleted by a later run."""
    with suppress(IndexUnavailable):
        server.drop(name)


def _take_over(
    server: ChromaServer, source: Generation | ServerIndex, texts: Mapping[str, str]
) -> dict[str, NDArray[np.float32]]:
    """Text → vector of those texts that the source holds; a damaged source gives nothing."""
    try:
        if isinstance(source, ServerIndex):
            return ServerStore(server, source.collection).with_texts(texts)
        wanted = set(texts.values())
        ids = {
            passage.id: text
            for entry in source.knowledge.entries
            for passage in entry.passages
            if (text := embedding_text(entry.title, passage)) in wanted
        }
        found = source.vectors.vectors(list(ids))
        return {ids[pid]: vector for pid, vector in found.items()}
    except IndexUnavailable:
        return {}


def _identity(embedder: Embedder, stored: Mapping[str, NDArray[np.float32]]) -> EmbeddingIdentity:
    spec = embedder.spec
    dimension = next((len(vector) for vector in stored.values()), spec.dimension)
    return EmbeddingIdentity(
        name=spec.name, dimension=dimension, digest=spec.digest, window=spec.window
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
