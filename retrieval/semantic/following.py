"""Keeping this host's part of an index in line with the vectors that are current on a server.

Words and notes always come from the notes of the host itself; only vectors are shared.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from retrieval.errors import (
    IndexDamaged,
    IndexLocked,
    IndexMismatch,
    IndexMissing,
    IndexUnavailable,
    IndexUnreachable,
    IndexUnwritable,
)
from retrieval.knowledge import load_knowledge, scan
from retrieval.semantic.before import open_before
from retrieval.semantic.contents import Contents, list_files
from retrieval.semantic.embedding import Embedder
from retrieval.semantic.generation import Generation, find_differences
from retrieval.semantic.generations import (
    REBUILD,
    ServerIndex,
    current_generation,
    index_folder,
    new_generation,
    publish,
    read_manifest,
)
from retrieval.semantic.locking import failed_writes, writer_lock
from retrieval.semantic.pruning import remove_old_generations
from retrieval.semantic.server import ChromaServer
from retrieval.settings import Location, LookupSettings

LOCK_SECONDS = 5.0
"""How long a lookup waits for another process of this host that does the same."""


def open_following(
    server: ChromaServer, location: Location, settings: LookupSettings, embedder: Embedder
) -> Generation:
    """The generation with the vectors that are current on the server.

    When another host has published an index since, full text and notes are read anew from the
    folder; nothing is embedded. They go to a temporary folder when the state folder is locked or
    cannot be written. Without an answer of the server the generation of before is opened: its
    vectors are asked for when they are needed.

    Raises `IndexUnreachable` when there is none, `IndexMissing` before the first index,
    `IndexMismatch` when that of the server was made by another model.
    """
    own = _open_own(server, location.state_dir, settings, embedder)
    try:
        shared = server.current()
    except IndexUnreachable:
        if own is None:
            raise
        return own
    if shared is None:
        raise IndexMissing(
            "This knowledge base is not indexed on the Chroma server yet.",
            next_action="Run `lookup-knowledge index`.",
        )
    if not shared.embedding.same_vectors(embedder.spec):
        raise IndexMismatch(
            f"The index on the Chroma server was made with the embedding model "
            f"{shared.embedding.name}, and the settings name {embedder.spec.name}.",
            next_action=f"Use the same `embedding.model` on every host. {REBUILD}",
        )
    if own is not None and own.manifest.server == shared:
        return own
    try:
        with (
            writer_lock(location.state_dir, wait_seconds=LOCK_SECONDS),
            failed_writes(location.state_dir),
        ):
            own = _open_own(server, location.state_dir, settings, embedder)
            if own is None or own.manifest.server != shared:
                own = _catch_up(
                    server, shared, location, settings, embedder, into=location.state_dir
                )
                remove_old_generations(location.state_dir)
            return own
    except (IndexLocked, IndexUnwritable):
        apart = TemporaryDirectory(prefix="lookup-index-", ignore_cleanup_errors=True)
        index_folder(Path(apart.name)).mkdir()
        found = _catch_up(server, shared, location, settings, embedder, into=Path(apart.name))
        found.on_close(apart.cleanup)
        return found


def _open_own(
    server: ChromaServer, state_dir: Path, settings: LookupSettings, embedder: Embedder
) -> Generation | None:
    """The generation in the state folder when it is whole and as the settings say."""
    try:
        folder = current_generation(state_dir)
        manifest = read_manifest(folder) if folder else None
    except (IndexDamaged, IndexMismatch):
        return None
    if folder is None or manifest is None or manifest.server is None:
        return None
    if find_differences(manifest, settings, embedder.spec):
        return None
    generation = Generation(folder, manifest, server)
    try:
        _ = generation.knowledge
    except IndexUnavailable:
        return None
    return generation


def _catch_up(
    server: ChromaServer,
    shared: ServerIndex,
    location: Location,
    settings: LookupSettings,
    embedder: Embedder,
    *,
    into: Path,
) -> Generation:
    before = open_before(location.state_dir, settings, embedder, server=server)
    found = scan(location.root, settings.knowledge)
    knowledge = load_knowledge(
        location.root,
        settings.knowledge,
        window=embedder.spec.window,
        measure=embedder.measure,
        reuse=before.notes(),
        reuse_issues=before.issues(),
    )
    files = list_files(found, knowledge)
    contents = Contents(knowledge=knowledge, files=files, settings=settings, before=before)
    folder = new_generation(into)
    manifest = contents.write(
        folder,
        # The window is this host's: it decides how its own notes are cut.
        shared.embedding.model_copy(update={"window": embedder.spec.window}),
        server=shared,
    )
    publish(folder, manifest)
    return Generation(folder, manifest, server)
