"""Tools that people use for the same job, each in a module with a function `open_peer`.

A peer takes the notes as texts with their source and category, cuts them with its own splitter,
embeds them through its own hook for a custom embedder, and ranks notes for a query. To add one,
write such a module and give it an entry in `PEERS`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Protocol

from eval_sets.bench.model import Encode, ModelName
from eval_sets.bench.notes import Note

OURS = "ours"
Chunk = tuple[str, str]
"""Source and text of what was embedded, without what a tool puts before it."""


class Peer(Protocol):
    """One tool with an index of its own in a folder."""

    def index(self, root: Path, notes: Sequence[Note]) -> None:
        """Makes the notes searchable. `notes` are those below `root`, read before."""

    def search(self, query: str, limit: int) -> list[str]:
        """Sources, best first; a source counts where it stands first."""

    def chunks(self) -> list[Chunk]:
        """What the index holds, in the order of the notes."""

    def close(self) -> None:
        """Releases the files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerInfo:
    """A peer as tables name it."""

    key: str
    title: str
    module: str
    packages: tuple[str, ...]
    how: str
    """What was set, in one line."""
    model: ModelName | None = "file"
    """None for a tool that embeds nothing."""


_CHROMA = ("chromadb",)
_LLAMA = ("llama-index-core", "llama-index-vector-stores-chroma", *_CHROMA)

PEERS: dict[str, PeerInfo] = {
    info.key: info
    for info in (
        PeerInfo(
            key="llama-index",
            title="LlamaIndex + Chroma",
            module="llama_index",
            packages=_LLAMA,
            how="SentenceSplitter(256, 20), VectorStoreIndex on ChromaVectorStore",
        ),
        PeerInfo(
            key="llama-index-untouched",
            title="LlamaIndex + Chroma, untouched",
            module="llama_index_untouched",
            packages=_LLAMA,
            how="VectorStoreIndex.from_documents with its own splitter (1024, 200)",
        ),
        PeerInfo(
            key="llama-index-our-model",
            title="LlamaIndex + Chroma, our embedder",
            module="llama_index",
            packages=_LLAMA,
            how="as LlamaIndex + Chroma, with the model as the lookup runs it",
            model="ours",
        ),
        PeerInfo(
            key="chroma",
            title="Chroma alone",
            module="chroma",
            packages=_CHROMA,
            how="paragraphs packed to 1000 characters, collection.add with an EmbeddingFunction",
        ),
        PeerInfo(
            key="haystack",
            title="Haystack",
            module="haystack",
            packages=("haystack-ai", "chroma-haystack"),
            how="pipeline of DocumentSplitter (200 words), a custom embedder, ChromaDocumentStore",
        ),
        PeerInfo(
            key="langchain",
            title="LangChain",
            module="langchain",
            packages=("langchain-chroma", "langchain-text-splitters"),
            how="RecursiveCharacterTextSplitter(1000, 200), langchain_chroma.Chroma",
        ),
        PeerInfo(
            key="txtai",
            title="txtai",
            module="txtai",
            packages=("txtai",),
            how="paragraphs packed to 1000 characters, Embeddings(method=external), content on",
        ),
        PeerInfo(
            key="bm25s",
            title="bm25s alone",
            module="bm25s",
            packages=("bm25s", "PyStemmer"),
            how="whole notes, English stemmer and stop words; nothing is embedded",
            model=None,
        ),
    )
}
OUR_INFO = PeerInfo(
    key=OURS,
    title="this project",
    module="ours",
    packages=(),
    how="reading, cutting by heading, vectors, BM25, L0, all that an index run does",
    model="ours",
)


def find_peer(key: str) -> PeerInfo:
    """The peer of this key, `ours` included. Raises `KeyError`."""
    return OUR_INFO if key == OURS else PEERS[key]


def find_missing(info: PeerInfo) -> tuple[str, ...]:
    """The packages of the peer that are not installed."""
    return tuple(name for name in info.packages if not _is_installed(name))


def install_line(info: PeerInfo) -> str:
    """The command that installs what the peer needs."""
    return f"pip install {' '.join(info.packages)}"


def open_peer(info: PeerInfo, folder: Path, encode: Encode | None) -> Peer:
    """The tool with an empty index in the folder, which exists; imports the tool."""
    module = import_module(f"{__name__}.{info.module}")
    peer: Peer = module.open_peer(folder, encode)
    return peer


def _is_installed(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True
