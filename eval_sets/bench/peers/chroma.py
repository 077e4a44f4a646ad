"""Chroma alone, as its documentation shows a collection with a custom embedding function.

https://docs.trychroma.com/docs/embeddings/embedding-functions
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from chromadb import Documents, EmbeddingFunction, Embeddings
from numpy.typing import NDArray

from eval_sets.bench.model import Encode, open_model
from eval_sets.bench.notes import Note
from eval_sets.bench.peers import Chunk
from eval_sets.bench.peers.client import open_client
from eval_sets.bench.peers.packing import pack_paragraphs

_SLICE = 1000


def open_peer(folder: Path, encode: Encode) -> "Chroma":
    """An empty persistent collection."""
    return Chroma(folder, encode)


def open_bare(
    folder: Path, vectors: NDArray[np.float32]
) -> Callable[[NDArray[np.float32], int], None]:
    """One unfiltered query of a collection with these vectors, default settings and cosine."""
    client = open_client(folder)
    collection = client.create_collection(
        "bare", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
    )
    for start in range(0, len(vectors), _SLICE):
        part = vectors[start : start + _SLICE]
        collection.add(
            ids=[str(start + number) for number in range(len(part))],
            embeddings=part,
            metadatas=[{"source": f"note{start + number}.md"} for number in range(len(part))],
        )

    def ask(vector: NDArray[np.float32], limit: int) -> None:
        collection.query(query_embeddings=[vector], n_results=min(limit, len(vectors)))

    return ask


class CustomFunction(EmbeddingFunction[Documents]):
    """Chroma's hook for a model of one's own; without one it opens the ONNX file."""

    def __init__(self, encode: Encode | None = None) -> None:
        self._encode = encode

    def __call__(self, input: Documents) -> Embeddings:
        if self._encode is None:
            self._encode = open_model("file")
        return list(self._encode(input))

    @staticmethod
    def name() -> str:
        """What Chroma stores of it."""
        return "lookup-bench"

    def get_config(self) -> dict[str, Any]:
        """Nothing has to be set."""
        return {}

    @staticmethod
    def build_from_config(config: dict[str, Any]) -> "CustomFunction":  # noqa: ARG004 - empty
        """For a collection that is opened again."""
        return CustomFunction()


class Chroma:
    """A collection of packed paragraphs."""

    def __init__(self, folder: Path, encode: Encode) -> None:
        self._client = open_client(folder / "chroma")
        self._collection = self._client.create_collection(
            "notes", embedding_function=CustomFunction(encode)
        )

    def index(self, root: Path, notes: Sequence[Note]) -> None:  # noqa: ARG002 - it takes texts
        """Cuts, embeds and stores the notes."""
        rows = [(note, text) for note in notes for text in pack_paragraphs(note.text)]
        for start in range(0, len(rows), _SLICE):
            part = rows[start : start + _SLICE]
            self._collection.add(
                ids=[str(start + number) for number in range(len(part))],
                documents=[text for _, text in part],
                metadatas=[{"source": n.source, "category": n.category} for n, _ in part],
            )

    def search(self, query: str, limit: int) -> list[str]:
        """The sources of the nearest chunks."""
        found = self._collection.query(query_texts=[query], n_results=limit)
        return [str(metadata["source"]) for metadata in (found["metadatas"] or [[]])[0]]

    def chunks(self) -> list[Chunk]:
        """The stored chunks."""
        got = self._collection.get(include=["documents", "metadatas"])
        rows = zip(got["metadatas"] or [], got["documents"] or [], strict=True)
        return [(str(metadata["source"]), text) for metadata, text in rows]

    def close(self) -> None:
        """Closes the client."""
        self._client.close()
