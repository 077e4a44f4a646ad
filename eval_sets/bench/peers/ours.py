"""This project: everything that `lookup-knowledge index` does, and lookups as they are set."""

from collections.abc import Sequence
from pathlib import Path

from eval_sets.bench.model import Encode
from eval_sets.bench.notes import Note
from eval_sets.bench.peers import Chunk
from retrieval.knowledge_base import KnowledgeBase


def open_peer(folder: Path, encode: Encode | None) -> "Ours":  # noqa: ARG001 - it has its own
    """An empty knowledge base whose state goes into the folder."""
    return Ours(folder)


class Ours:
    """A knowledge base with default settings."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._base: KnowledgeBase | None = None

    def index(self, root: Path, notes: Sequence[Note]) -> None:  # noqa: ARG002 - it reads them
        """Reads the files below `root` and indexes them."""
        self._base = KnowledgeBase.open(root, {"state_dir": str(self._folder / "state")})
        self._base.reindex()

    def search(self, query: str, limit: int) -> list[str]:
        """The sources of the evidence blocks."""
        result = self._opened.lookup(query, top_k=limit)
        return [block.source for block in result.evidence_blocks]

    def chunks(self) -> list[Chunk]:
        """The passages."""
        return [(p.source, p.text) for entry in self._opened.entries for p in entry.passages]

    def close(self) -> None:
        """Closes the knowledge base."""
        if self._base is not None:
            self._base.close()

    @property
    def _opened(self) -> KnowledgeBase:
        if self._base is None:
            raise RuntimeError("index() comes first")
        return self._base
