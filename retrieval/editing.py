"""A knowledge base as it would be with other texts in some notes: nothing is written, and only
those notes are embedded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from retrieval.filtering import admits, is_within
from retrieval.hints import L0Index
from retrieval.knowledge import Knowledge, embedding_text, read_entry
from retrieval.knowledge_base import KnowledgeBase
from retrieval.lookup import View
from retrieval.semantic.fulltext import FullText, write_fulltext
from retrieval.semantic.generation import Generation
from retrieval.semantic.retriever import HybridRetriever
from retrieval.types import Condition, Entry

if TYPE_CHECKING:
    from retrieval.semantic.embedding import Embedder
    from retrieval.semantic.index import VectorStore

Vector = NDArray[np.float32]


class EditedBase(KnowledgeBase):
    """Answers as `base` would after an index run with these texts in the place of its notes.

    `texts` maps a source to the file's whole text, or to None for a note that is deleted; a source
    that is no note yet is added. The other notes are those that `base` sees when this is made.
    Full text is scored anew with all its statistics; vectors are taken over wherever the embedded
    text stays the same. Without an index only L0 answers, as in `base`. Close `base` later.

    Raises `NoteRefused` for a text that cannot be read as a note.
    """

    def __init__(self, base: KnowledgeBase, texts: Mapping[str, str | None]) -> None:
        super().__init__(base.settings, base.location, embedder=base.embedder)
        before, knowledge = base._view()
        spec = base.embedder.spec
        entries = dict(before.entries)
        for source, text in texts.items():
            entries.pop(source, None)
            if text is not None:
                entries[source] = read_entry(
                    source,
                    text.encode(),
                    base.settings.knowledge,
                    window=spec.window,
                    measure=base.embedder.measure,
                )[0]
        entries = dict(sorted(entries.items()))
        self._before = before  # its index stays open as long as it is held
        self._edited = (
            _edited_view(before, entries, frozenset(texts), base.embedder),
            replace(knowledge, entries=tuple(entries.values())),
        )

    def _view(self) -> tuple[View, Knowledge]:
        return self._edited


def _edited_view(
    before: View, entries: Mapping[str, Entry], changed: frozenset[str], embedder: "Embedder"
) -> View:
    retriever = before.retriever
    if isinstance(retriever, HybridRetriever) and isinstance(retriever.index, Generation):
        index = _EditedIndex.of(retriever.index, before.entries, entries, changed, embedder)
        source_of = {p.id: p.source for entry in entries.values() for p in entry.passages}
        retriever = replace(retriever, entries=entries, source_of=source_of, index=index)
    known = {source: entries[source].content_hash for source in changed if source in entries}
    name = f"{before.fingerprint.index} with {sorted(known.items())}"
    return replace(
        before,
        entries=entries,
        l0=L0Index(tuple(entries.values())),
        retriever=retriever,
        fingerprint=replace(before.fingerprint, index=name if before.fingerprint.index else None),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _EditedVectors:
    """The stored vectors, with those of the edited notes in the place of their old ones."""

    stored: "VectorStore"
    gone: frozenset[str]
    """Passages that do not stand any more as they are stored."""
    fresh: Mapping[str, Vector]
    """Passage id → vector, of the edited notes."""
    owners: Mapping[str, Entry]
    """Passage id → its edited note."""

    def query(
        self,
        vector: Vector,
        limit: int,
        category: str | None = None,
        conditions: Sequence[Condition] = (),
    ) -> list[tuple[str, float]]:
        found = self.stored.query(vector, limit + len(self.gone), category, conditions)
        kept = [(pid, cosine) for pid, cosine in found if pid not in self.gone]
        admitted = [
            pid
            for pid, entry in self.owners.items()
            if (category is None or is_within(entry, category)) and admits(entry, conditions)
        ]
        if vector.any():
            kept += self._fresh_cosines(vector, admitted).items()
        return sorted(kept, key=lambda hit: -hit[1])[:limit]

    def cosines(self, vector: Vector, passage_ids: Sequence[str]) -> dict[str, float]:
        old = [pid for pid in passage_ids if pid not in self.gone and pid not in self.fresh]
        new = [pid for pid in passage_ids if pid in self.fresh]
        return {**self.stored.cosines(vector, old), **self._fresh_cosines(vector, new)}

    def _fresh_cosines(self, vector: Vector, passage_ids: Sequence[str]) -> dict[str, float]:
        return {pid: float(np.clip(self.fresh[pid] @ vector, -1.0, 1.0)) for pid in passage_ids}


@dataclass(frozen=True, slots=True, kw_only=True)
class _EditedIndex:
    """What `HybridRetriever` reads of an index; all of it is open."""

    vectors: _EditedVectors
    fulltext: FullText
    is_open: bool = True

    @classmethod
    def of(
        cls,
        index: Generation,
        before: Mapping[str, Entry],
        after: Mapping[str, Entry],
        changed: frozenset[str],
        embedder: "Embedder",
    ) -> "_EditedIndex":
        old = [p for source in changed & before.keys() for p in before[source].passages]
        edited = [after[source] for source in sorted(changed & after.keys())]
        owners = {p.id: entry for entry in edited for p in entry.passages}
        texts = {p.id: embedding_text(e.title, p) for e in edited for p in e.passages}
        stored = index.vectors.vectors([passage.id for passage in old])
        known = {
            embedding_text(before[p.source].title, p): stored[p.id] for p in old if p.id in stored
        }
        missing = [text for text in dict.fromkeys(texts.values()) if text not in known]
        known |= zip(missing, embedder.embed_passages(missing), strict=True)
        with TemporaryDirectory(prefix="lookup-edit-") as folder:
            write_fulltext(
                Path(folder) / "fulltext",
                tuple(after.values()),
                before=index.fulltext,
                unchanged=after.keys() - changed,
            )
            fulltext = FullText.open(Path(folder) / "fulltext")
        return cls(
            vectors=_EditedVectors(
                stored=index.vectors,
                gone=frozenset(passage.id for passage in old),
                fresh={pid: known[text] for pid, text in texts.items()},
                owners=owners,
            ),
            fulltext=fulltext,
        )
