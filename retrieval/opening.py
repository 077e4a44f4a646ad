"""From settings and disk to what a lookup reads: the index when it is usable, else the folder."""

from collections.abc import Callable

from retrieval.errors import IndexDamaged, IndexUnavailable
from retrieval.hints import L0Index
from retrieval.knowledge import Knowledge, load_knowledge, scan
from retrieval.lookup import View
from retrieval.semantic.embedding import Embedder
from retrieval.semantic.generation import open_generation
from retrieval.semantic.generations import current_generation, read_manifest
from retrieval.semantic.retriever import HybridRetriever
from retrieval.settings import Location, LookupSettings
from retrieval.types import ErrorInfo, Fingerprint

FALLBACK_FLOOR = 0.35
"""Semantic floor for an embedder that nobody measured."""


def state_key(settings: LookupSettings, location: Location) -> object:
    """A value that changes when a lookup would read something else.

    The current generation's name; without an index, sizes and times of the folder's files.
    """
    try:
        folder = current_generation(location.state_dir)
    except IndexDamaged:
        folder = None
    return folder or tuple(sorted(scan(location.root, settings.knowledge).items()))


def open_view(
    settings: LookupSettings, location: Location, embedder: Embedder
) -> tuple[View, Knowledge, Callable[[], None]]:
    """The view, its notes, and what releases it.

    When the index is missing, damaged or does not fit the settings, the notes are read from the
    folder, and the view says why L1 cannot be asked.
    """
    floor = settings.lookup.semantic_floor
    if floor is None:
        floor = embedder.spec.semantic_floor
    try:
        generation = open_generation(location.state_dir, settings, embedder.spec)
        knowledge = generation.knowledge
    except IndexUnavailable as error:
        knowledge = load_knowledge(
            location.root,
            settings.knowledge,
            window=embedder.spec.window,
            measure=embedder.measure,
        )
        retriever, index, close = None, None, _nothing
        unavailable: ErrorInfo | None = error.info()
    else:
        retriever = HybridRetriever(
            entries={entry.source: entry for entry in knowledge.entries},
            source_of={p.id: p.source for entry in knowledge.entries for p in entry.passages},
            index=generation,
            embedder=embedder,
            scripts=embedder.spec.scripts,
        )
        unavailable, index, close = None, generation.manifest.index_digest, generation.close
    view = View(
        entries={entry.source: entry for entry in knowledge.entries},
        l0=L0Index(knowledge.entries),
        retriever=retriever,
        unavailable=unavailable,
        semantic_floor=FALLBACK_FLOOR if floor is None else floor,
        fingerprint=Fingerprint(
            config=settings.digest(), index=index, embedding=embedder.spec.digest
        ),
    )
    return view, knowledge, close


def count_stale(location: Location, settings: LookupSettings) -> int:
    """How many notes were added, changed or removed since the index was built; 0 without one."""
    try:
        folder = current_generation(location.state_dir)
        if folder is None:
            return 0
        files = read_manifest(folder).files
    except IndexUnavailable:
        return 0
    indexed = {source: (size, mtime) for source, (size, mtime, _) in files.items()}
    found = scan(location.root, settings.knowledge)
    changed = sum(found.get(source) != stat for source, stat in indexed.items())
    return changed + len(found.keys() - indexed.keys())


def _nothing() -> None:
    pass
