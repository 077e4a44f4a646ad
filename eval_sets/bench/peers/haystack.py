"""Haystack: an indexing pipeline with a component of one's own as embedder, and a Chroma store.

https://docs.haystack.deepset.ai/docs/custom-components,
https://docs.haystack.deepset.ai/docs/chromadocumentstore
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

# Read when haystack is imported.
os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")

from haystack import Document, Pipeline, component
from haystack.components.preprocessors import DocumentSplitter
from haystack.components.writers import DocumentWriter
from haystack_integrations.components.retrievers.chroma import ChromaEmbeddingRetriever
from haystack_integrations.document_stores.chroma import ChromaDocumentStore

from eval_sets.bench.model import Encode
from eval_sets.bench.notes import Note
from eval_sets.bench.peers import Chunk


def open_peer(folder: Path, encode: Encode) -> "Haystack":
    """An empty persistent document store."""
    return Haystack(folder, encode)


@component
class CustomDocumentEmbedder:
    """A document embedder as Haystack's protocol has it."""

    def __init__(self, encode: Encode) -> None:
        self._encode = encode

    @component.output_types(documents=list[Document])  # type: ignore[untyped-decorator]
    def run(self, documents: list[Document]) -> dict[str, Any]:
        """The documents with their vectors."""
        vectors = self._encode([document.content or "" for document in documents])
        embedded = [
            replace(document, embedding=vector.tolist())
            for document, vector in zip(documents, vectors, strict=True)
        ]
        return {"documents": embedded}


class Haystack:
    """Splitter, embedder and writer in one pipeline."""

    def __init__(self, folder: Path, encode: Encode) -> None:
        self._encode = encode
        self._store = ChromaDocumentStore(
            collection_name="notes", persist_path=str(folder / "chroma")
        )
        self._retriever = ChromaEmbeddingRetriever(document_store=self._store)
        self._pipeline = Pipeline()
        self._pipeline.add_component(
            "splitter", DocumentSplitter(split_by="word", split_length=200, split_overlap=0)
        )
        self._pipeline.add_component("embedder", CustomDocumentEmbedder(encode))
        self._pipeline.add_component("writer", DocumentWriter(document_store=self._store))
        self._pipeline.connect("splitter.documents", "embedder.documents")
        self._pipeline.connect("embedder.documents", "writer.documents")

    def index(self, root: Path, notes: Sequence[Note]) -> None:  # noqa: ARG002 - it takes texts
        """Runs the pipeline."""
        documents = [
            Document(content=note.text, meta={"source": note.source, "category": note.category})
            for note in notes
        ]
        self._pipeline.run({"splitter": {"documents": documents}})

    def search(self, query: str, limit: int) -> list[str]:
        """The sources of the nearest chunks."""
        vector = self._encode([query])[0].tolist()
        found = self._retriever.run(query_embedding=vector, top_k=limit)["documents"]
        return [document.meta["source"] for document in found]

    def chunks(self) -> list[Chunk]:
        """The stored chunks."""
        found = self._store.filter_documents()
        return [(document.meta["source"], document.content or "") for document in found]

    def close(self) -> None:
        """Nothing to close: the store has no such method."""
