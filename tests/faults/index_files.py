"""Changes to the files of notes and index, which stay as they are until somebody indexes."""

import json
import math
import os
import shutil
import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import chromadb
from chromadb.config import Settings as ChromaSettings

from retrieval.semantic.generations import file_sizes
from tests.faults import embedder
from tests.faults.site import Site


def delete_index(site: Site) -> None:
    shutil.rmtree(site.index)


def delete_generation(site: Site) -> None:
    shutil.rmtree(site.generation)


def delete_notes(site: Site) -> None:
    for folder in site.notes.iterdir():
        shutil.rmtree(folder)


def delete_state(site: Site) -> None:
    shutil.rmtree(site.state)


def change_note(site: Site) -> None:
    path = site.notes / "travel/shuttle.md"
    path.write_text(path.read_text(encoding="utf-8") + "\nIt is blue.\n", encoding="utf-8")


def change_model(site: Site) -> None:
    text = site.config.read_text(encoding="utf-8")
    site.config.write_text(text.replace(embedder.MODEL, "hash:64"), encoding="utf-8")


def cut(name: str) -> Callable[[Site], None]:
    """Half of the file is gone."""

    def change(site: Site) -> None:
        path = _one(site, name)
        os.truncate(path, path.stat().st_size // 2)

    return change


def scramble(name: str) -> Callable[[Site], None]:
    """Other bytes in a file that keeps its length, as a disk does that fails silently."""

    def change(site: Site) -> None:
        path = _one(site, name)
        path.write_bytes(b"\xff" * path.stat().st_size)

    return change


def scramble_numbers(name: str) -> Callable[[Site], None]:
    """Other bytes behind the header of a NumPy file."""

    def change(site: Site) -> None:
        path = _one(site, name)
        header = path.read_bytes()[:128]
        path.write_bytes(header + b"\xff" * (path.stat().st_size - len(header)))

    return change


def _one(site: Site, name: str) -> Path:
    found = sorted(site.generation.rglob(name)) or sorted(site.index.rglob(name))
    assert found, name
    return found[0]


def swap_ids(site: Site) -> None:
    """The vectors belong to passages that the notes do not have; their number is right."""
    folder = site.generation
    client = chromadb.PersistentClient(
        str(folder / "vectors"),
        settings=ChromaSettings(_env_file=None, anonymized_telemetry=False),  # type: ignore[call-arg]
    )
    try:
        collection = client.get_collection("passages", embedding_function=None)
        rows = collection.get(include=["embeddings", "metadatas"])
        collection.delete(ids=rows["ids"])
        collection.add(
            ids=[f"nowhere.md#{n}" for n in range(len(rows["ids"]))],
            embeddings=rows["embeddings"],
            metadatas=rows["metadatas"],
        )
    finally:
        client.close()
    _agree(folder)


def store_nan(site: Site) -> None:
    """Every stored vector holds numbers that are none; Chroma itself would not take them."""
    folder = site.generation
    with closing(sqlite3.connect(folder / "vectors" / "chroma.sqlite3")) as database, database:
        nothing = struct.pack(f"<{embedder.DIMENSION}f", *[math.nan] * embedder.DIMENSION)
        statement = "UPDATE embeddings_queue SET vector = ? WHERE vector IS NOT NULL"
        assert database.execute(statement, [nothing]).rowcount
    _agree(folder)


def _agree(folder: Path) -> None:
    """The manifest tells the sizes that the files have now."""
    manifest = json.loads((folder / "manifest.json").read_bytes())
    manifest["sizes"] = file_sizes(folder)
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
