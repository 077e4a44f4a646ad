"""Building the index: only what changed is cut, embedded and stored anew."""

import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from retrieval.errors import IndexUnavailable
from retrieval.knowledge import Knowledge, load_knowledge, scan, write_snapshot
from retrieval.semantic.embedding import Embedder
from retrieval.semantic.fulltext import write_fulltext
from retrieval.semantic.generation import Generation, find_differences
from retrieval.semantic.generations import (
    EmbeddingIdentity,
    Manifest,
    current_generation,
    file_sizes,
    index_digest,
    knowledge_digest,
    new_generation,
    publish,
    read_manifest,
    remove_old_generations,
)
from retrieval.semantic.locking import writer_lock
from retrieval.semantic.vectors import write_vectors
from retrieval.settings import LookupSettings
from retrieval.types import Entry, LoadIssue, LoadReport

Progress = Callable[[str, int, int], None]
"""Called with the stage (`load`, `embed`), what is done, and the total."""
Files = dict[str, tuple[int, int, str]]


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
    seconds: float
    generation: str
    """Name of the generation that is current now."""
    report: LoadReport
    rebuilt_because: str | None = None
    """Why nothing of the index before was built upon, if there was one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Before:
    """The index that a run starts from, as far as it can be used."""

    files: Files
    """Empty when there was none or its manifest cannot be read."""
    generation: Generation | None = None
    rebuild: str | None = None
    """Why its notes and rows cannot be built upon."""

    def notes(self) -> dict[str, Entry]:
        """The notes that stand as they were cut, by source."""
        if self.generation is None or self.rebuild:
            return {}
        return {entry.source: entry for entry in self.generation.knowledge.entries}

    def issues(self) -> tuple[LoadIssue, ...]:
        """What the load of those notes met."""
        return self.generation.knowledge.report.issues if self.generation else ()

    def is_current(self, files: Files, report: LoadReport) -> bool:
        """True when there is nothing to write."""
        return (
            self.generation is not None
            and self.rebuild is None
            and files == self.files
            and report == self.generation.knowledge.report
        )


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

    Raises `IndexLocked` while another process writes and whatever the model raises when it fails;
    the index before then stays the current one.
    """
    started = time.perf_counter()
    with writer_lock(state_dir):
        before = _open_before(state_dir, settings, embedder, full=full)
        try:
            # Scanned first: a file that changes in between shows as changed afterwards.
            found = scan(root, settings.knowledge)
            knowledge = load_knowledge(
                root,
                settings.knowledge,
                window=embedder.spec.window,
                measure=embedder.measure,
                reuse=before.notes(),
                reuse_issues=before.issues(),
                progress=_stage(progress, "load"),
            )
            files = _files(found, knowledge)
            if before.is_current(files, knowledge.report) and before.generation is not None:
                folder, embedded = before.generation.folder, 0
            else:
                folder = new_generation(state_dir)
                embedded = _write(
                    folder,
                    before=before,
                    knowledge=knowledge,
                    files=files,
                    settings=settings,
                    embedder=embedder,
                    progress=progress,
                )
        finally:
            if before.generation is not None:
                before.generation.close()
        remove_old_generations(state_dir)
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
        embedded=embedded,
        seconds=time.perf_counter() - started,
        generation=folder.name,
        report=knowledge.report,
        rebuilt_because=before.rebuild,
    )


def _open_before(
    state_dir: Path, settings: LookupSettings, embedder: Embedder, *, full: bool
) -> _Before:
    files: Files = {}
    try:
        folder = current_generation(state_dir)
        if folder is None:
            return _Before(files={})
        generation = Generation(folder, read_manifest(folder))
        files = generation.manifest.files
        if full:
            return _Before(files=files, rebuild="a full build was asked for")
        # Opened here, so that damage is met before anything is built on it.
        _ = generation.knowledge, generation.fulltext, generation.vectors
    except IndexUnavailable as error:
        return _Before(files=files, rebuild=error.message.rstrip("."))
    differences = find_differences(generation.manifest, settings, embedder.spec)
    return _Before(files=files, generation=generation, rebuild="; ".join(differences) or None)


def _write(
    folder: Path,
    *,
    before: _Before,
    knowledge: Knowledge,
    files: Files,
    settings: LookupSettings,
    embedder: Embedder,
    progress: Progress | None,
) -> int:
    """Fills and publishes the generation; the number of texts that were embedded."""
    spec = embedder.spec
    old = before.notes()
    unchanged = {
        entry.source
        for entry in knowledge.entries
        if entry.source in old and old[entry.source].content_hash == entry.content_hash
    }
    generation = before.generation
    if generation and not generation.manifest.embedding.same_vectors(spec):
        generation = None
    try:
        written = write_vectors(
            folder / "vectors",
            knowledge.entries,
            embedder=embedder,
            before=generation,
            unchanged=unchanged,
            progress=_stage(progress, "embed"),
        )
        write_fulltext(
            folder / "fulltext",
            knowledge.entries,
            before=generation.fulltext if generation and unchanged else None,
            unchanged=unchanged,
        )
        write_snapshot(folder / "snapshot.json", knowledge)
        embedding = EmbeddingIdentity(
            name=spec.name, dimension=written.dimension, digest=spec.digest, window=spec.window
        )
        cut = knowledge_digest(settings.knowledge, spec.window)
        manifest = Manifest(
            generation=folder.name,
            created_at=datetime.now(UTC).isoformat(timespec="seconds"),
            embedding=embedding,
            knowledge_digest=cut,
            files=files,
            passages=sum(len(entry.passages) for entry in knowledge.entries),
            slots=written.slots,
            index_digest=index_digest(files, embedding, cut),
            sizes=file_sizes(folder),
        )
        publish(folder, manifest)
    finally:
        if not (folder / "manifest.json").is_file():
            shutil.rmtree(folder, ignore_errors=True)
    return written.embedded


def _files(found: Mapping[str, tuple[int, int]], knowledge: Knowledge) -> Files:
    hashes = {entry.source: entry.content_hash for entry in knowledge.entries}
    return {
        source: (*found.get(source, (0, 0)), hashes.get(source, ""))
        for source in sorted(found.keys() | hashes.keys())
    }


def _stage(progress: Progress | None, stage: str) -> Callable[[int, int], None] | None:
    return None if progress is None else partial(progress, stage)
