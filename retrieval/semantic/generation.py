"""One finished index generation, opened: its manifest, and its parts when they are first asked."""

import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from retrieval.errors import IndexMismatch, IndexMissing, IndexUnavailable
from retrieval.filtering import admits
from retrieval.knowledge import Knowledge, read_snapshot
from retrieval.semantic.embedding import EmbeddingSpec
from retrieval.semantic.generations import (
    REBUILD,
    Manifest,
    current_generation,
    knowledge_digest,
    read_manifest,
)
from retrieval.settings import LookupSettings
from retrieval.types import Condition

if TYPE_CHECKING:
    from retrieval.semantic.fulltext import FullText
    from retrieval.semantic.index import VectorStore
    from retrieval.semantic.server import ChromaServer

_ON_SERVER = "The vectors of this index lie on a Chroma server, which the settings do not name."


class Generation:
    """A generation that is open for reading. Close it when another one became current.

    Its parts are loaded on first access, once, whichever thread asks; each raises `IndexDamaged`
    when it does not hold what was written.
    """

    def __init__(
        self, folder: Path, manifest: Manifest, server: "ChromaServer | None" = None
    ) -> None:
        """`server` has the vectors, where the manifest says that they lie on one."""
        self.folder = folder
        self.manifest = manifest
        self._server = server
        self._lock = threading.Lock()
        self._opening = threading.Lock()
        self._vectors: VectorStore | None = None
        self._fulltext: FullText | None = None
        self._knowledge: Knowledge | None = None
        self._at_close: Callable[[], None] | None = None

    @property
    def is_open(self) -> bool:
        """True when vectors and full text are loaded."""
        return self._vectors is not None and self._fulltext is not None

    @property
    def vectors(self) -> "VectorStore":
        """The passage vectors, probed."""
        knowledge = self.knowledge if self.manifest.differs_from_server else None
        # Not `_lock`: full text must not wait for a server that does not answer.
        with self._opening:
            if self._vectors is None:
                store = self._open_vectors(knowledge)
                try:
                    store.probe((self.manifest.server or self.manifest).passages)
                except IndexUnavailable:
                    store.close()
                    raise
                self._vectors = store
            return self._vectors

    @property
    def fulltext(self) -> "FullText":
        """BM25 over passages and notes."""
        from retrieval.semantic.fulltext import FullText

        with self._lock:
            if self._fulltext is None:
                self._fulltext = FullText.open(self.folder / "fulltext")
            return self._fulltext

    @property
    def knowledge(self) -> Knowledge:
        """The notes as they were indexed, and the report of that load."""
        with self._lock:
            if self._knowledge is None:
                self._knowledge = read_snapshot(self.folder / "snapshot.json")
            return self._knowledge

    def _open_vectors(self, differing: Knowledge | None) -> "VectorStore":
        from retrieval.semantic.index import VectorStore

        held, slots = self.manifest.server, self.manifest.slots
        if held is None:
            from retrieval.semantic.matrix import MATRIX, PassageMatrix

            matrix = PassageMatrix.open(self.folder / MATRIX, self.knowledge.entries, slots)
            folder = self.folder / "vectors"
            if folder.is_dir() and not os.access(folder, os.W_OK):
                folder = self._copy_apart(folder)
            return VectorStore.open(
                folder, slots=slots, resolve=self._admitted_sources, matrix=matrix
            )
        if self._server is None:
            raise IndexMismatch(_ON_SERVER, next_action=REBUILD)
        from retrieval.semantic.server_store import ServerStore

        return ServerStore(
            self._server,
            held.collection,
            slots=held.slots,
            resolve=self._admitted_sources,
            entries=differing.entries if differing else None,
        )

    def _admitted_sources(self, condition: Condition) -> list[str]:
        entries = self.knowledge.entries
        return [entry.source for entry in entries if admits(entry, [condition])]

    def _copy_apart(self, folder: Path) -> Path:
        """A copy in a temporary folder: Chroma opens its database for writing, also to read it."""
        apart = TemporaryDirectory(prefix="lookup-vectors-", ignore_cleanup_errors=True)
        copy = Path(apart.name) / folder.name
        shutil.copytree(folder, copy)
        for path in (copy, *copy.rglob("*")):
            path.chmod(0o700 if path.is_dir() else 0o600)
        self.on_close(apart.cleanup)
        return copy

    def close(self) -> None:
        """Releases the vectors' files."""
        with self._opening:
            if self._vectors is not None:
                self._vectors.close()
                self._vectors = None
            if self._at_close is not None:
                self._at_close()
                self._at_close = None

    def on_close(self, action: Callable[[], None]) -> None:
        """Also does this when it is closed."""
        self._at_close = action


def open_generation(state_dir: Path, settings: LookupSettings, spec: EmbeddingSpec) -> Generation:
    """The current generation, if it was built as the settings say.

    Raises `IndexMissing` before the first index, `IndexMismatch` when model, window or knowledge
    settings differ, `IndexDamaged` when files are missing or cut.
    """
    folder = current_generation(state_dir)
    if folder is None:
        raise IndexMissing(
            "This knowledge base is not indexed yet.", next_action="Run `lookup-knowledge index`."
        )
    manifest = read_manifest(folder)
    differences = find_differences(manifest, settings, spec)
    if differences:
        raise IndexMismatch(
            f"The index does not fit the settings: {'; '.join(differences)}.",
            next_action=REBUILD,
        )
    return Generation(folder, manifest)


def find_differences(
    manifest: Manifest, settings: LookupSettings, spec: EmbeddingSpec
) -> tuple[str, ...]:
    """What was otherwise when the index was built, as clauses for people; empty when it fits."""
    built = manifest.embedding
    found: list[str] = []
    say = "{} was {}, and is {}".format
    if built.name != spec.name:
        found.append(say("the embedding model", built.name, spec.name))
    elif built.digest != spec.digest:
        found.append(f"the embedding model {spec.name} has changed")
    if manifest.server is not None and settings.chroma.url is None:
        found.append("the vectors were on a Chroma server, and are in the state folder")
    elif manifest.server is None and settings.chroma.url is not None:
        found.append("the vectors were in the state folder, and are on a Chroma server")
    if None not in (built.dimension, spec.dimension) and built.dimension != spec.dimension:
        found.append(say("its dimension", built.dimension, spec.dimension))
    if built.window != spec.window:
        found.append(say("`embedding.window`", built.window, spec.window))
    elif manifest.knowledge_digest != knowledge_digest(settings.knowledge, spec.window):
        found.append("the `[knowledge]` settings have changed")
    return tuple(found)
