"""LlamaIndex with its Chroma store, as the documentation of that store shows it.

https://developers.llamaindex.ai/python/framework/integrations/vector_stores/chromaindexdemo/
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.node_parser import SentenceSplitter
from llama_index.vector_stores.chroma import ChromaVectorStore

from eval_sets.bench.model import Encode
from eval_sets.bench.notes import Note
from eval_sets.bench.peers import Chunk
from eval_sets.bench.peers.client import open_client

_KEYS = ["source", "category"]


def open_peer(folder: Path, encode: Encode) -> "LlamaIndex":
    """With chunks that the model can read: 256 tokens, 20 of them shared with the one before."""
    return LlamaIndex(folder, encode, SentenceSplitter(chunk_size=256, chunk_overlap=20))


class CustomEmbedding(BaseEmbedding):
    """LlamaIndex's hook for a model of one's own."""

    _encode: Any = PrivateAttr()

    def __init__(self, encode: Encode) -> None:
        super().__init__(model_name="all-MiniLM-L6-v2")
        self._encode = encode

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = self._encode(texts).tolist()
        return vectors

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


class LlamaIndex:
    """A vector index on a persistent Chroma collection."""

    def __init__(self, folder: Path, encode: Encode, splitter: SentenceSplitter | None) -> None:
        self._model = CustomEmbedding(encode)
        self._splitting: dict[str, Any] = {"transformations": [splitter]} if splitter else {}
        self._client = open_client(folder / "chroma")
        self._collection = self._client.get_or_create_collection("notes")
        self._index: Any = None

    def index(self, root: Path, notes: Sequence[Note]) -> None:  # noqa: ARG002 - it takes texts
        """Cuts, embeds and stores the notes. Metadata is stored and not embedded."""
        documents = [
            Document(
                text=note.text,
                metadata={"source": note.source, "category": note.category},
                excluded_embed_metadata_keys=_KEYS,
                excluded_llm_metadata_keys=_KEYS,
            )
            for note in notes
        ]
        store = ChromaVectorStore(chroma_collection=self._collection)
        self._index = VectorStoreIndex.from_documents(
            documents,
            storage_context=StorageContext.from_defaults(vector_store=store),
            embed_model=self._model,
            **self._splitting,
        )

    def search(self, query: str, limit: int) -> list[str]:
        """The sources of the nearest chunks."""
        found = self._index.as_retriever(similarity_top_k=limit).retrieve(query)
        return [item.node.metadata["source"] for item in found]

    def chunks(self) -> list[Chunk]:
        """The stored chunks."""
        got = self._collection.get(include=["documents", "metadatas"])
        rows = zip(got["metadatas"] or [], got["documents"] or [], strict=True)
        return [(str(metadata["source"]), text) for metadata, text in rows]

    def close(self) -> None:
        """Closes the client."""
        self._client.close()
