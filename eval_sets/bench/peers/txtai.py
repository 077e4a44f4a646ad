"""txtai with content storage and an external vector method.

https://neuml.github.io/txtai/embeddings/configuration/vectors/
"""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from eval_sets.bench.model import Encode
from eval_sets.bench.notes import Note
from eval_sets.bench.peers import Chunk
from eval_sets.bench.peers.packing import pack_paragraphs


def open_peer(folder: Path, encode: Encode) -> "Txtai":
    """An empty index, saved in the folder."""
    return Txtai(folder, encode)


class Txtai:
    """An embeddings database; nearest neighbours with its default library."""

    def __init__(self, folder: Path, encode: Encode) -> None:
        # By name: it brings torch, so that no extra of this project has it.
        embeddings = import_module("txtai").Embeddings
        self._folder = folder
        self._chunks: list[Chunk] = []
        self._index: Any = embeddings(
            method="external", transform=lambda texts: encode(list(texts)), content=True
        )

    def index(self, root: Path, notes: Sequence[Note]) -> None:  # noqa: ARG002 - it takes texts
        """Cuts, embeds, stores and saves the notes."""
        self._chunks = [
            (note.source, text) for note in notes for text in pack_paragraphs(note.text)
        ]
        self._index.index([(number, text, None) for number, (_, text) in enumerate(self._chunks)])
        self._index.save(str(self._folder / "txtai"))

    def search(self, query: str, limit: int) -> list[str]:
        """The sources of the nearest chunks."""
        found = self._index.search(query, limit)
        return [self._chunks[int(row["id"])][0] for row in found]

    def chunks(self) -> list[Chunk]:
        """The chunks in order."""
        return self._chunks

    def close(self) -> None:
        """Closes the database."""
        self._index.close()
