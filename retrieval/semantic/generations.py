"""Index generations on disk: where they lie, which is the current one, and what is in them.

    state_dir/index/
        CURRENT               name of the current generation
        gen-<id>/             vectors/ matrix.npy fulltext/ snapshot.json manifest.json
        embedded-<model>.bin  vectors of a run that did not finish; see `kept`
        writer.lock           held while a generation is written; see `locking`

With a Chroma server a generation has no `vectors/` and no `matrix.npy`; its manifest names the
collection: `server`.
A generation is built in its own folder, which nobody reads before `publish` points to it; after
that it never changes. So a crash at any instant leaves the old index or the new one.
"""

import hashlib
import json
import os
import re
import secrets
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from retrieval.atomic import write_atomic
from retrieval.errors import IndexDamaged, IndexMismatch
from retrieval.semantic.embedding import EmbeddingSpec
from retrieval.settings import KnowledgeSettings

INDEX_SCHEMA = "2"
"""Raised with any change to the files of a generation or to how notes are cut into passages."""
REBUILD = "Run `lookup-knowledge index`; it builds the index anew."
FREE_SPACE = "Free space or choose another `state_dir`, then run `lookup-knowledge index` again."

_NAME = re.compile(r"gen-[0-9a-z-]+")
_STAMP = "%Y%m%dt%H%M%S%f"


class EmbeddingIdentity(BaseModel):
    """The embedder that an index was built with."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    dimension: int | None
    """None when nothing was embedded and the model does not tell."""
    digest: str
    window: int

    def same_vectors(self, spec: EmbeddingSpec) -> bool:
        """True when vectors of the two can be compared."""
        dimensions = {self.dimension, spec.dimension} - {None}
        return (self.name, self.digest) == (spec.name, spec.digest) and len(dimensions) <= 1


class ServerIndex(BaseModel):
    """The vectors of an index on a Chroma server, as the host that wrote them says."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    collection: str
    embedding: EmbeddingIdentity
    knowledge_digest: str
    index_digest: str
    passages: int
    slots: dict[str, int]
    """Field → most values that a row has in it."""


class Manifest(BaseModel):
    """What a generation holds. Written last: a folder without one is unfinished."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_version: str = INDEX_SCHEMA
    generation: str
    created_at: str
    """UTC, ISO 8601."""
    embedding: EmbeddingIdentity
    knowledge_digest: str
    files: dict[str, tuple[int, int, str]]
    """Source → size, mtime_ns, sha256; the last is empty for a file that is no note."""
    passages: int
    slots: dict[str, int]
    """Field → most values that a row has in it; see `filters`."""
    index_digest: str
    """Equal digests mean equal answers of the index."""
    sizes: dict[str, int]
    """Bytes of each file below the generation's folder, except this one."""
    server: ServerIndex | None = None
    """Where the vectors are when they are not in the folder."""

    @property
    def differs_from_server(self) -> bool:
        """True when the vectors were made of other notes than these."""
        return self.server is not None and self.server.index_digest != self.index_digest

    @property
    def answer_digest(self) -> str:
        """`index_digest`, or one of both states where the vectors are of other notes."""
        if self.server is None or not self.differs_from_server:
            return self.index_digest
        both = f"{self.index_digest} {self.server.index_digest}"
        return hashlib.sha256(both.encode()).hexdigest()[:12]


def knowledge_digest(settings: KnowledgeSettings, window: int) -> str:
    """Short digest of what decides how files become notes and passages."""
    text = f"{INDEX_SCHEMA} {window} {settings.model_dump_json()}"
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def index_digest(
    files: Mapping[str, tuple[int, int, str]], embedding: EmbeddingIdentity, knowledge: str
) -> str:
    """Short digest of the notes' contents and of how they were indexed; not of file times."""
    contents = sorted((source, sha256) for source, (_, _, sha256) in files.items() if sha256)
    text = json.dumps([contents, embedding.model_dump(), knowledge])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def index_folder(state_dir: Path) -> Path:
    return state_dir / "index"


def current_generation(state_dir: Path) -> Path | None:
    """The current generation's folder, or None before the first index.

    Reads one small file, so a reader can ask before each lookup. Raises `IndexDamaged` when the
    pointer names no generation.
    """
    pointer = index_folder(state_dir) / "CURRENT"
    try:
        name = pointer.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise IndexDamaged(f"{pointer} cannot be read: {error}.", next_action=REBUILD) from error
    folder = index_folder(state_dir) / name
    if not _NAME.fullmatch(name) or not folder.is_dir():
        raise IndexDamaged(f"{pointer} names no generation of the index.", next_action=REBUILD)
    return folder


def new_generation(state_dir: Path) -> Path:
    """An empty folder for the next generation; its name sorts after those of earlier ones.

    Also where the clock was set back since: then the name is that of the moment after the last one.
    """
    now = datetime.now(UTC).strftime(_STAMP)
    names = (path.name.split("-") for path in index_folder(state_dir).glob("gen-*"))
    last = max((parts[1] for parts in names if len(parts) == 3), default="")
    if last >= now:
        with suppress(ValueError, OverflowError):
            moment = datetime.strptime(last, _STAMP).replace(tzinfo=UTC)
            now = (moment + timedelta(microseconds=1)).strftime(_STAMP)
    folder = index_folder(state_dir) / f"gen-{now}-{secrets.token_hex(2)}"
    folder.mkdir()
    return folder


def file_sizes(folder: Path) -> dict[str, int]:
    """Bytes of every file below the folder except its manifest, by relative path."""
    return {
        path.relative_to(folder).as_posix(): path.stat().st_size
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "manifest.json"
    }


def read_manifest(folder: Path) -> Manifest:
    """The generation's manifest, its files' sizes checked.

    Raises `IndexMismatch` for the format of another release, `IndexDamaged` when the manifest
    or a file is missing, cut or not what was written.
    """
    path = folder / "manifest.json"
    try:
        data = json.loads(path.read_bytes())
        schema = data.get("schema_version") if isinstance(data, dict) else None
        if isinstance(schema, str) and schema != INDEX_SCHEMA:
            raise IndexMismatch(
                f"The index has format {schema}; this release reads format {INDEX_SCHEMA}.",
                next_action=REBUILD,
            )
        manifest = Manifest.model_validate(data)
        found = file_sizes(folder)
    except (OSError, ValueError, RecursionError) as error:
        reason = str(error).splitlines()[0]
        raise IndexDamaged(f"{path} cannot be read: {reason}.", next_action=REBUILD) from error
    for name, size in manifest.sizes.items():
        if found.get(name) != size:
            state = f"has {found[name]} bytes, not {size}" if name in found else "is missing"
            raise IndexDamaged(
                f"The index is damaged: {folder / name} {state}.", next_action=REBUILD
            )
    return manifest


def publish(folder: Path, manifest: Manifest) -> None:
    """Makes the finished folder the current generation, durably and at once."""
    write_atomic(folder / "manifest.json", manifest.model_dump_json())
    for path in folder.rglob("*"):
        if path.is_file():
            _sync(path)
    # Children before parents: a name is durable once its folder is synced.
    for path in sorted((p for p in folder.rglob("*") if p.is_dir()), reverse=True):
        _sync(path)
    _sync(folder)
    _sync(folder.parent)
    write_atomic(folder.parent / "CURRENT", folder.name)
    _sync(folder.parent)


def _sync(path: Path) -> None:
    if path.is_dir() and os.name == "nt":
        return  # Windows cannot open a folder to sync it
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
