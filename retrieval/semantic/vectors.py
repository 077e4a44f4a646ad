"""The vectors of a new generation: copied, taken over by text, or embedded."""

import shutil
import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from retrieval.errors import EmbeddingError
from retrieval.knowledge import embedding_text
from retrieval.semantic.embedding import Embedder
from retrieval.semantic.filters import count_slots, field_names, to_row
from retrieval.semantic.generation import Generation
from retrieval.semantic.matrix import MATRIX, write_matrix
from retrieval.types import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenVectors:
    """What was written."""

    embedded: int
    """Texts that went through the model; equal texts go once."""
    dimension: int | None
    slots: dict[str, int]


def write_vectors(
    folder: Path,
    entries: Sequence[Entry],
    *,
    embedder: Embedder,
    before: Generation | None,
    unchanged: Collection[str],
    progress: Callable[[int, int], None] | None,
) -> WrittenVectors:
    """Stores a vector and a row for each passage of the notes in the new folder, and the vectors
    as one matrix beside it.

    Rows of `unchanged` sources are copied with the store of `before`; any other passage whose
    embedding text has a vector in `before` takes that one over.
    """
    from retrieval.semantic.index import VectorStore

    changed = [entry for entry in entries if entry.source not in unchanged]
    vectors, embedded, dimension = _collect_vectors(changed, embedder, before, progress)
    ids = list(vectors)
    if before:
        vectors.update(
            before.vectors.vectors(
                [p.id for e in entries if e.source in unchanged for p in e.passages]
            )
        )
    matrix = write_matrix(
        folder.with_name(MATRIX),
        [vectors.pop(passage.id) for entry in entries for passage in entry.passages],
        dimension,
    )
    slots = count_slots(entries)
    if before and unchanged:
        # Rows that stay were written without the fields that could not be stored then.
        if new := slots.keys() - before.manifest.slots.keys():
            for key in new & field_names(e for e in entries if e.source in unchanged):
                slots.pop(key)
        _copy_store(before.folder / "vectors", folder)
        store = VectorStore.open(folder)
        store.delete(
            [
                passage.id
                for entry in before.knowledge.entries
                if entry.source not in unchanged
                for passage in entry.passages
            ]
        )
    else:
        store = VectorStore.create(folder)
    try:
        if ids:
            lengths = [len(entry.passages) for entry in entries]
            is_new = np.repeat([entry.source not in unchanged for entry in entries], lengths)
            store.add(
                ids,
                matrix if is_new.all() else matrix[is_new],
                [row for e in changed for row in [to_row(e, slots)] * len(e.passages)],
            )
        store.probe(len(matrix))
    finally:
        store.close()
    return WrittenVectors(embedded=embedded, dimension=dimension, slots=slots)


def _collect_vectors(
    changed: Sequence[Entry],
    embedder: Embedder,
    before: Generation | None,
    progress: Callable[[int, int], None] | None,
) -> tuple[dict[str, NDArray[np.float32]], int, int | None]:
    """The vector of each passage of these notes, how many texts were embedded for that, and the
    dimension."""
    texts = {p.id: embedding_text(e.title, p) for e in changed for p in e.passages}
    bodies = {passage.text for entry in changed for passage in entry.passages}
    stored = _stored_vectors(before, texts.values(), bodies) if before else {}
    missing = [text for text in dict.fromkeys(texts.values()) if text not in stored]
    fresh = embedder.embed_passages(missing, progress)
    dimension = _dimension(embedder, fresh, before)
    stored.update(zip(missing, fresh, strict=True))
    return {pid: stored[text] for pid, text in texts.items()}, len(missing), dimension


def _stored_vectors(
    before: Generation, texts: Iterable[str], bodies: Collection[str]
) -> dict[str, NDArray[np.float32]]:
    """Text → vector of those that are stored; `bodies` are the passages' own texts."""
    wanted = set(texts)
    if not wanted:
        return {}
    ids: dict[str, str] = {}
    for entry in before.knowledge.entries:
        for passage in entry.passages:
            if passage.text not in bodies:
                continue
            text = embedding_text(entry.title, passage)
            if text in wanted:
                ids[passage.id] = text
    return {ids[pid]: vector for pid, vector in before.vectors.vectors(list(ids)).items()}


def _dimension(
    embedder: Embedder, fresh: NDArray[np.float32], before: Generation | None
) -> int | None:
    known = before.manifest.embedding.dimension if before else None
    given = fresh.shape[1] if len(fresh) else embedder.spec.dimension
    if known is not None and given is not None and known != given:
        raise EmbeddingError(
            f"The model '{embedder.spec.name}' gives {given} dimensions; the index has {known}.",
            next_action="Run `lookup-knowledge index --full`.",
        )
    return given if given is not None else known


def _copy_store(old: Path, new: Path) -> None:
    database = "chroma.sqlite3"
    shutil.copytree(old, new, ignore=shutil.ignore_patterns(f"{database}*"))
    # Through SQLite: a reader that opens the old store writes a few bytes to this file.
    with (
        closing(sqlite3.connect(old / database)) as source,
        closing(sqlite3.connect(new / database)) as target,
    ):
        source.backup(target)
