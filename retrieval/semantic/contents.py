"""What a new generation holds besides its vectors: words, notes, and the manifest."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from retrieval.knowledge import Knowledge, write_snapshot
from retrieval.semantic.before import Before, Files
from retrieval.semantic.embedding import EmbeddingSpec
from retrieval.semantic.fulltext import write_fulltext
from retrieval.semantic.generation import Generation
from retrieval.semantic.generations import (
    EmbeddingIdentity,
    Manifest,
    ServerIndex,
    file_sizes,
    index_digest,
    knowledge_digest,
)
from retrieval.settings import LookupSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """The notes of a new generation, and what it is built upon."""

    knowledge: Knowledge
    files: Files
    settings: LookupSettings
    before: Before

    @property
    def passages(self) -> int:
        return sum(len(entry.passages) for entry in self.knowledge.entries)

    def unchanged(self) -> set[str]:
        """Sources of the notes that stand as before."""
        old = self.before.notes()
        return {
            entry.source
            for entry in self.knowledge.entries
            if entry.source in old and old[entry.source].content_hash == entry.content_hash
        }

    def reusable(self, spec: EmbeddingSpec, *, on_server: bool = False) -> Generation | None:
        """The generation whose vectors can be taken over; also one on a server if `on_server`."""
        generation = self.before.generation
        if generation is None or not generation.manifest.embedding.same_vectors(spec):
            return None
        return generation if on_server or generation.manifest.server is None else None

    def knowledge_digest(self, embedding: EmbeddingIdentity) -> str:
        return knowledge_digest(self.settings.knowledge, embedding.window)

    def index_digest(self, embedding: EmbeddingIdentity) -> str:
        """The digest of an index of these notes."""
        return index_digest(self.files, embedding, self.knowledge_digest(embedding))

    def write(
        self,
        folder: Path,
        embedding: EmbeddingIdentity,
        *,
        slots: Mapping[str, int] | None = None,
        server: ServerIndex | None = None,
    ) -> Manifest:
        """Writes full text and snapshot into the folder; the manifest, which is not written yet."""
        unchanged = self.unchanged()
        generation = self.before.generation
        write_fulltext(
            folder / "fulltext",
            self.knowledge.entries,
            before=generation.fulltext if generation and unchanged else None,
            unchanged=unchanged,
        )
        write_snapshot(folder / "snapshot.json", self.knowledge)
        return Manifest(
            generation=folder.name,
            created_at=datetime.now(UTC).isoformat(timespec="seconds"),
            embedding=embedding,
            knowledge_digest=self.knowledge_digest(embedding),
            files=self.files,
            passages=self.passages,
            slots=dict(server.slots if server else slots or {}),
            index_digest=self.index_digest(embedding),
            sizes=file_sizes(folder),
            server=server,
        )


def identify(spec: EmbeddingSpec, dimension: int | None) -> EmbeddingIdentity:
    """The identity of an embedder that gave vectors of this dimension."""
    return EmbeddingIdentity(
        name=spec.name, dimension=dimension, digest=spec.digest, window=spec.window
    )


def list_files(found: Mapping[str, tuple[int, int]], knowledge: Knowledge) -> Files:
    """Size, time and digest of every file that was found; no digest for one that is no note."""
    hashes = {entry.source: entry.content_hash for entry in knowledge.entries}
    return {
        source: (*found.get(source, (0, 0)), hashes.get(source, ""))
        for source in sorted(found.keys() | hashes.keys())
    }
