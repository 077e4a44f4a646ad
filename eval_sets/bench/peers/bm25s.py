"""bm25s alone over whole notes, as its README shows it with a stemmer."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bm25s
import Stemmer

from eval_sets.bench.model import Encode
from eval_sets.bench.notes import Note
from eval_sets.bench.peers import Chunk


def open_peer(folder: Path, encode: Encode | None) -> "Bm25s":  # noqa: ARG001 - no vectors
    """An empty index, saved in the folder."""
    return Bm25s(folder)


class Bm25s:
    """A word index; nothing is embedded."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stemmer = Stemmer.Stemmer("english")
        self._sources: list[str] = []
        self._index: Any = bm25s.BM25()

    def index(self, root: Path, notes: Sequence[Note]) -> None:  # noqa: ARG002 - it takes texts
        """Indexes the notes and saves the index."""
        self._sources = [note.source for note in notes]
        words = self._tokenize([note.text for note in notes])
        self._index.index(words, show_progress=False)
        self._index.save(str(self._folder / "bm25s"))

    def search(self, query: str, limit: int) -> list[str]:
        """The best notes."""
        found, scores = self._index.retrieve(
            self._tokenize([query]), k=min(limit, len(self._sources)), show_progress=False
        )
        pairs = zip(found[0].tolist(), scores[0].tolist(), strict=True)
        return [self._sources[position] for position, score in pairs if score > 0]

    def chunks(self) -> list[Chunk]:
        """None: nothing is embedded."""
        return []

    def close(self) -> None:
        """Nothing is open."""

    def _tokenize(self, texts: list[str]) -> Any:
        return bm25s.tokenize(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)
