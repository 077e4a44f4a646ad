"""From settings and disk to what a lookup reads: the index when it is usable, else the folder."""

import weakref
from typing import TYPE_CHECKING

from retrieval.calibration import (
    StoredCalibration,
    calibration_stamp,
    indexing_digest,
    read_calibration,
)
from retrieval.errors import IndexDamaged, IndexUnavailable, IndexUnreachable
from retrieval.hints import L0Index
from retrieval.knowledge import Knowledge, load_knowledge, scan
from retrieval.lookup import View
from retrieval.relevance import DEFAULT_THRESHOLDS
from retrieval.semantic.embedding import Embedder
from retrieval.semantic.generation import Generation, open_generation
from retrieval.semantic.generations import current_generation
from retrieval.semantic.retriever import HybridRetriever
from retrieval.settings import Location, LookupSettings
from retrieval.types import ErrorInfo, Fingerprint

if TYPE_CHECKING:
    from retrieval.semantic.server import ChromaServer

FALLBACK_FLOOR = 0.35
"""Semantic floor for an embedder that nobody measured."""


def state_key(
    settings: LookupSettings, location: Location, server: "ChromaServer | None" = None
) -> object:
    """A value that changes when a lookup would read something else.

    The current generation's name, or without an index sizes and times of the folder's files; which
    calibration there is; and with a Chroma server the collection that is current there. While the
    server does not answer, that is the last one that was known.
    """
    try:
        folder = current_generation(location.state_dir)
    except IndexDamaged:
        folder = None
    shared: object = None
    if server is not None:
        try:
            current = server.current()
            shared = current.collection if current else None
        except IndexUnreachable:
            shared = server.last_known or "unreachable"
        except IndexUnavailable as error:
            shared = error.message
    read = folder or tuple(sorted(scan(location.root, settings.knowledge).items()))
    return read, calibration_stamp(location.state_dir), shared


def open_view(
    settings: LookupSettings,
    location: Location,
    embedder: Embedder,
    server: "ChromaServer | None" = None,
) -> tuple[View, Knowledge]:
    """The view and its notes; the index is closed when the last lookup has dropped the view.

    When the index is missing, damaged or does not fit the settings, the notes are read from the
    folder, and the view says why L1 cannot be asked. Thresholds come from the calibration of this
    index where there is one that fits.
    """
    generation: Generation | None = None
    retriever: HybridRetriever | None = None
    unavailable: ErrorInfo | None = None
    try:
        if server is None:
            generation = open_generation(location.state_dir, settings, embedder.spec)
        else:
            from retrieval.semantic.following import open_following

            generation = open_following(server, location, settings, embedder)
        knowledge = generation.knowledge
    except IndexUnavailable as error:
        generation, unavailable = None, error.info()
        knowledge = load_knowledge(
            location.root,
            settings.knowledge,
            window=embedder.spec.window,
            measure=embedder.measure,
        )
    else:
        retriever = HybridRetriever(
            entries={entry.source: entry for entry in knowledge.entries},
            source_of={p.id: p.source for entry in knowledge.entries for p in entry.passages},
            index=generation,
            embedder=embedder,
            scripts=embedder.spec.scripts,
        )
    index = generation.manifest.answer_digest if generation else None
    calibration, warning = (
        read_calibration(
            location.state_dir,
            embedding=embedder.spec.digest,
            settings=indexing_digest(settings),
            index=index,
        )
        if index
        else (None, None)
    )
    config = settings.digest()
    view = View(
        entries={entry.source: entry for entry in knowledge.entries},
        l0=L0Index(knowledge.entries),
        retriever=retriever,
        unavailable=unavailable,
        semantic_floor=_floor(settings, calibration, embedder),
        fingerprint=Fingerprint(
            config=calibration.fingerprint(config) if calibration else config,
            index=index,
            embedding=embedder.spec.digest,
        ),
        thresholds=calibration.thresholds if calibration else DEFAULT_THRESHOLDS,
        warnings=tuple(w for w in (warning, _unread(knowledge), _differing(generation)) if w),
    )
    if generation is not None:
        weakref.finalize(view, generation.close)
    return view, knowledge


def _unread(knowledge: Knowledge) -> ErrorInfo | None:
    """A warning when files of the folder are not searched because they cannot be read."""
    count = len({issue.source for issue in knowledge.report.errors})
    if not count:
        return None
    return ErrorInfo(
        code="notes_unreadable",
        message=f"{count} {'file' if count == 1 else 'files'} could not be read and "
        f"{'is' if count == 1 else 'are'} not searched.",
        next_action="Run `lookup-knowledge lint`.",
    )


def _differing(generation: Generation | None) -> ErrorInfo | None:
    """A warning when the vectors on the server are of other notes than those of this host."""
    if generation is None or not generation.manifest.differs_from_server:
        return None
    return ErrorInfo(
        code="notes_differ",
        message="The notes of this host are not those that the index on the Chroma server was "
        "made of; what differs is found by words only.",
        next_action="Bring the notes of all hosts to one state, then run `lookup-knowledge index`.",
    )


def _floor(
    settings: LookupSettings, calibration: StoredCalibration | None, embedder: Embedder
) -> float:
    """The first that says one: the settings, the calibration, the embedder."""
    known = (
        settings.lookup.semantic_floor,
        calibration.semantic_floor if calibration else None,
        embedder.spec.semantic_floor,
    )
    return next((floor for floor in known if floor is not None), FALLBACK_FLOOR)
