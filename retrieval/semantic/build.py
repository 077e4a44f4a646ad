"""Building the index: only what changed is cut, embedded and stored anew."""

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from retrieval.errors import IndexDamaged
from retrieval.knowledge import Knowledge, load_knowledge, scan
from retrieval.semantic.before import Before, open_before
from retrieval.semantic.contents import Contents, identify, list_files
from retrieval.semantic.embedding import Embedder
from retrieval.semantic.generations import ServerIndex, index_folder, new_generation, publish
from retrieval.semantic.kept import KeepingEmbedder, kept_path, remove_kept
from retrieval.semantic.locking import failed_writes, writer_lock
from retrieval.semantic.pruning import remove_old_generations
from retrieval.semantic.server import WRITE_SECONDS, ChromaServer, open_server
from retrieval.semantic.server_store import write_collection
from retrieval.semantic.vectors import write_vectors
from retrieval.settings import LookupSettings
from retrieval.types import LoadReport

Progress = Callable[[str, int, int], None]
"""Called with the stage (`load`, `embed`), what is done, and the total."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexReport:
    """What an index run did; notes are compared by content with the index before.

    When it was built anew, every note that stood in it counts as updated.
    """

    added: int
    updated: int
    deleted: int
    unchanged: int
    failed: int
    """Files that are no note; see `report`."""
    passages: int
    embedded: int
    """Texts that went through the model."""
    resumed: int
    """Texts whose vectors a run that did not finish had left."""
    seconds: float
    generation: str
    """Name of the generation that is current now."""
    report: LoadReport
    rebuilt_because: str | None = None
    """Why nothing of the index before was built upon, if there was one."""


def build_index(
    *,
    state_dir: Path,
    root: Path,
    settings: LookupSettings,
    embedder: Embedder,
    full: bool = False,
    progress: Progress | None = None,
) -> IndexReport:
    """Brings the index up to date with the files below `root`, and says what was done.

    Without any change nothing is written. `full` builds everything anew; so does a change of the
    model, its window or the `[knowledge]` settings, and a damaged index. Vectors of texts that
    stay the same are kept whenever the model is the same and `full` is not set.

    With a Chroma server the vectors go there; where it holds an index of these very notes, made by
    another host, only the rest is written here. Vectors that a run which did not finish had made
    are taken over from it.

    Raises `IndexLocked` while another process writes, `IndexUnwritable` when the disk is full or
    the folder read-only, `IndexUnreachable` without the server, and whatever the model raises when
    it fails; the index before then stays the current one.
    """
    started = time.perf_counter()
    server = open_server(settings.chroma, seconds=WRITE_SECONDS)
    try:
        with writer_lock(state_dir), failed_writes(state_dir):
            run = _Run(
                state_dir=state_dir,
                root=root,
                settings=settings,
                embedder=embedder,
                server=server,
                full=full,
                progress=progress,
            )
            return run.bring_up_to_date(started)
    finally:
        if server is not None:
            server.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """One index run, under the writer lock."""

    state_dir: Path
    root: Path
    settings: LookupSettings
    embedder: Embedder
    server: ChromaServer | None
    full: bool
    progress: Progress | None

    def bring_up_to_date(self, started: float) -> IndexReport:
        # A server that does not answer is met before anything is embedded.
        try:
            shared = self.server.current() if self.server else None
        except IndexDamaged:
            shared = None
        before = open_before(
            self.state_dir, self.settings, self.embedder, server=self.server, full=self.full
        )
        index = index_folder(self.state_dir)
        embedder = KeepingEmbedder(self.embedder, kept_path(index, self.embedder, full=self.full))
        try:
            # Scanned first: a file that changes in between shows as changed afterwards.
            found = scan(self.root, self.settings.knowledge)
            knowledge = load_knowledge(
                self.root,
                self.settings.knowledge,
                window=embedder.spec.window,
                measure=embedder.measure,
                reuse=before.notes(),
                reuse_issues=before.issues(),
                progress=self._stage("load"),
            )
            files = list_files(found, knowledge)
            manifest = before.generation.manifest if before.generation else None
            if (
                manifest is not None
                and before.is_current(files, knowledge.report)
                and manifest.server == shared
                and not manifest.differs_from_server
            ):
                name = manifest.generation
            else:
                contents = Contents(
                    knowledge=knowledge, files=files, settings=self.settings, before=before
                )
                name = self._write(contents, embedder, shared)
        finally:
            if before.generation is not None:
                before.generation.close()
        remove_old_generations(self.state_dir)
        remove_kept(index)
        if self.server is not None:
            self.server.remove_old()
        return _report(before, knowledge, embedder, name, started)

    def _write(
        self, contents: Contents, embedder: KeepingEmbedder, shared: ServerIndex | None
    ) -> str:
        """Fills and publishes a generation; its name."""
        folder = new_generation(self.state_dir)
        try:
            if self.server is None:
                vectors = write_vectors(
                    folder / "vectors",
                    contents.knowledge.entries,
                    embedder=embedder,
                    before=contents.reusable(embedder.spec),
                    unchanged=contents.unchanged(),
                    progress=self._stage("embed"),
                )
                identity = identify(embedder.spec, vectors.dimension)
                publish(folder, contents.write(folder, identity, slots=vectors.slots))
            else:
                shared = self._write_to_server(self.server, contents, embedder, shared)
                publish(folder, contents.write(folder, shared.embedding, server=shared))
        finally:
            if not (folder / "manifest.json").is_file():
                shutil.rmtree(folder, ignore_errors=True)
        return folder.name

    def _write_to_server(
        self,
        server: ChromaServer,
        contents: Contents,
        embedder: KeepingEmbedder,
        shared: ServerIndex | None,
    ) -> ServerIndex:
        """The index on the server, published: the one that is there if it is of these notes."""
        if shared is not None and not self.full and shared.embedding.same_vectors(embedder.spec):
            if contents.index_digest(shared.embedding) == shared.index_digest:
                return shared
            taken: tuple[ServerIndex, ...] = (shared,)
        else:
            taken = ()
        before = contents.reusable(embedder.spec, on_server=True)
        collection, identity, slots = write_collection(
            server,
            contents.knowledge.entries,
            embedder=embedder,
            sources=(*((before,) if before else ()), *taken),
            progress=self._stage("embed"),
        )
        written = ServerIndex(
            collection=collection,
            embedding=identity,
            knowledge_digest=contents.knowledge_digest(identity),
            index_digest=contents.index_digest(identity),
            passages=contents.passages,
            slots=slots,
        )
        server.publish(written)
        return written

    def _stage(self, stage: str) -> Callable[[int, int], None] | None:
        return None if self.progress is None else partial(self.progress, stage)


def _report(
    before: Before,
    knowledge: Knowledge,
    embedder: KeepingEmbedder,
    generation: str,
    started: float,
) -> IndexReport:
    old = {source: digest for source, (_, _, digest) in before.files.items() if digest}
    new = {entry.source: entry.content_hash for entry in knowledge.entries}
    kept = new.keys() & old.keys()
    unchanged = 0 if before.rebuild else sum(old[source] == new[source] for source in kept)
    return IndexReport(
        added=len(new.keys() - old.keys()),
        updated=len(kept) - unchanged,
        deleted=len(old.keys() - new.keys()),
        unchanged=unchanged,
        failed=len({issue.source for issue in knowledge.report.errors}),
        passages=sum(len(entry.passages) for entry in knowledge.entries),
        embedded=embedder.embedded,
        resumed=embedder.resumed,
        seconds=time.perf_counter() - started,
        generation=generation,
        report=knowledge.report,
        rebuilt_because=before.rebuild,
    )
