"""LangChain with its Chroma store and the splitter of its retrieval tutorial.

https://docs.langchain.com/oss/python/integrations/vectorstores/chroma
"""

from collections.abc import Sequence
from pathlib import Path

from langchain_chroma import Chroma
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_text_splitters import RecursiveCharacterTextSplitter

from eval_sets.bench.model import Encode
from eval_sets.bench.notes import Note
from eval_sets.bench.peers import Chunk
from eval_sets.bench.peers.client import open_client

_SLICE = 1000


def open_peer(folder: Path, encode: Encode) -> "LangChain":
    """An empty persistent store."""
    return LangChain(folder, encode)


class CustomEmbeddings(Embeddings):
    """LangChain's hook for a model of one's own."""

    def __init__(self, encode: Encode) -> None:
        self._encode = encode

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector a text."""
        vectors: list[list[float]] = self._encode(texts).tolist()
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """The query's vector."""
        return self.embed_documents([text])[0]


class LangChain:
    """Splitter and vector store."""

    def __init__(self, folder: Path, encode: Encode) -> None:
        self._splitter = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200)
        self._client = open_client(folder / "chroma")
        self._store = Chroma("notes", CustomEmbeddings(encode), client=self._client)

    def index(self, root: Path, notes: Sequence[Note]) -> None:  # noqa: ARG002 - it takes texts
        """Cuts, embeds and stores the notes."""
        chunks = self._splitter.split_documents(
            [
                Document(note.text, metadata={"source": note.source, "category": note.category})
                for note in notes
            ]
        )
        for start in range(0, len(chunks), _SLICE):
            self._store.add_documents(chunks[start : start + _SLICE])

    def search(self, query: str, limit: int) -> list[str]:
        """The sources of the nearest chunks."""
        found = self._store.similarity_search(query, k=limit)
        return [document.metadata["source"] for document in found]

    def chunks(self) -> list[Chunk]:
        """The stored chunks."""
        got = self._store.get(include=["documents", "metadatas"])
        rows = zip(got["metadatas"], got["documents"], strict=True)
        return [(metadata["source"], text) for metadata, text in rows]

    def close(self) -> None:
        """Closes the client."""
        self._client.close()
