"""Damage that a case does to an index on disk."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np

from retrieval.knowledge import read_snapshot
from retrieval.semantic.generations import current_generation, file_sizes, read_manifest
from retrieval.semantic.index import VectorStore
from retrieval.semantic.matrix import MATRIX
from tests.cases.case import UnknownCheck


def generation_folder(state: Path) -> Path:
    """The folder of the index that is current."""
    folder = current_generation(state)
    assert folder is not None
    return folder


def stored_ids(state: Path) -> list[str]:
    """The passage ids in Chroma's own table."""
    path = generation_folder(state) / "vectors" / "chroma.sqlite3"
    with closing(sqlite3.connect(path)) as database:
        return [row[0] for row in database.execute("SELECT embedding_id FROM embeddings")]


def remove_vectors(state: Path, sources: list[str]) -> None:
    """Takes the vectors of notes out of an index that is closed, and leaves it consistent."""
    folder = generation_folder(state)
    manifest = read_manifest(folder)
    entries = read_snapshot(folder / "snapshot.json").entries
    ids = [p.id for entry in entries if entry.source in sources for p in entry.passages]
    store = VectorStore.open(folder / "vectors")
    store.delete(ids)
    store.close()
    every = [p.id for entry in entries for p in entry.passages]
    matrix = np.load(folder / MATRIX)
    matrix[np.isin(every, ids)] = 0
    np.save(folder / MATRIX, matrix)
    changed = manifest.model_copy(
        update={"passages": manifest.passages - len(ids), "sizes": file_sizes(folder)}
    )
    (folder / "manifest.json").write_text(changed.model_dump_json(), encoding="utf-8")


def corrupt(state: Path, glob: str, how: str) -> None:
    """Damages every file that the glob names."""
    paths = [path for path in state.rglob(glob) if path.is_file()]
    assert paths, f"no file is called {glob}"
    for path in paths:
        if how == "truncate_half":
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        elif how == "delete":
            path.unlink()
        elif how == "garbage":
            path.write_bytes(b"\xff" * path.stat().st_size)
        else:
            raise UnknownCheck(f"corrupt: {how}")


def remove_index(state: Path) -> None:
    """Removes the index's folder."""
    shutil.rmtree(state / "index")
