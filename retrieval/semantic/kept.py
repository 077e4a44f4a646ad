"""Vectors of an index run that has not finished, kept so that the next one need not start anew.

One append-only file a model. It begins with a header (magic, dimension as uint32) and goes on
with records of one size: 16 bytes of the text's sha256, the vector as little-endian float32, and
the CRC-32 of both. A record that was cut or altered is left aside, so is a file of another form.
"""

import hashlib
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from retrieval.semantic.embedding import Embedder

BATCH = 256
"""Texts between two writes: what a run that is killed may have to embed again."""
_MAGIC = b"lkw-vec1"
_HEADER = np.dtype([("magic", "S8"), ("dimension", "<u4")])


class KeptVectors:
    """The file of one model. One process at a time writes it: the one that has the writer lock."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> dict[bytes, NDArray[np.float32]]:
        """Key → vector of every whole record; empty when there is no such file."""
        try:
            data = self.path.read_bytes()
        except OSError:
            return {}
        record = _record_of(data)
        if record is None:
            return {}
        number = (len(data) - _HEADER.itemsize) // record.itemsize
        rows = np.frombuffer(data, dtype=record, count=number, offset=_HEADER.itemsize)
        return {
            row["key"].tobytes(): row["vector"]
            for row in rows
            if row["crc"] == _crc(row["key"].tobytes(), row["vector"])
        }

    def append(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """Adds records. Raises `OSError` when the file cannot be written."""
        record = _record(vectors.shape[1])
        rows = np.zeros(len(keys), dtype=record)
        rows["key"] = np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(len(keys), -1)
        rows["vector"] = vectors
        rows["crc"] = [_crc(key, vector) for key, vector in zip(keys, rows["vector"], strict=True)]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b") as file:
            file.seek(0)
            if _record_of(file.read(_HEADER.itemsize)) != record:
                file.truncate(0)
                file.write(np.array((_MAGIC, vectors.shape[1]), dtype=_HEADER).tobytes())
            # A record that a killed writer left half is cut off.
            size = file.seek(0, 2)
            file.truncate(size - (size - _HEADER.itemsize) % record.itemsize)
            file.write(rows.tobytes())


class KeepingEmbedder(Embedder):
    """An embedder that looks for each passage in the file first, and adds to it what it embeds."""

    def __init__(self, embedder: Embedder, path: Path) -> None:
        super().__init__(embedder.spec, measure=embedder.measure, load=lambda: embedder.model)
        self._embedder = embedder
        self._kept = KeptVectors(path)
        self.embedded = 0
        """Texts that went through the model."""
        self.resumed = 0
        """Texts whose vectors an earlier run had left."""

    def embed_passages(
        self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None
    ) -> NDArray[np.float32]:
        """As `Embedder.embed_passages`; where the file cannot be written, nothing is kept."""
        keys = [_key(text) for text in texts]
        found = self._kept.read() if texts else {}
        missing = [n for n, key in enumerate(keys) if key not in found]
        done = self.resumed = len(texts) - len(missing)
        for start in range(0, len(missing), BATCH):
            part = missing[start : start + BATCH]
            shown = None if progress is None else _after(progress, done, len(texts))
            fresh = self._embedder.embed_passages([texts[n] for n in part], shown)
            found.update(zip((keys[n] for n in part), fresh, strict=True))
            with suppress(OSError):
                self._kept.append([keys[n] for n in part], fresh)
            done += len(part)
            self.embedded += len(part)
        if not texts:
            return self._embedder.embed_passages(texts, progress)
        if len({found[key].shape for key in keys}) > 1:  # the model changed under its name
            return self.embed_passages(texts, progress)
        return np.stack([found[key] for key in keys]).astype(np.float32, copy=False)


def kept_path(index: Path, embedder: Embedder, *, full: bool) -> Path:
    """The file for vectors of this model; a full run takes nothing over from one that was not."""
    return index / f"embedded-{embedder.spec.digest}{'-full' if full else ''}.bin"


def remove_kept(index: Path) -> None:
    """Removes the files of all models: the index holds the vectors now."""
    for path in index.glob("embedded-*.bin"):
        path.unlink(missing_ok=True)


def _after(
    progress: Callable[[int, int], None], before: int, total: int
) -> Callable[[int, int], None]:
    return lambda done, _: progress(before + done, total)


def _record(dimension: int) -> np.dtype[np.void]:
    return np.dtype([("key", "u1", 16), ("vector", "<f4", (dimension,)), ("crc", "<u4")])


def _record_of(data: bytes) -> np.dtype[np.void] | None:
    """The form of the records after this header; None when it is none."""
    if len(data) < _HEADER.itemsize:
        return None
    header = np.frombuffer(data, dtype=_HEADER, count=1)[0]
    dimension = int(header["dimension"])
    return _record(dimension) if header["magic"] == _MAGIC and 0 < dimension < 2**16 else None


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:16]


def _crc(key: bytes, vector: NDArray[np.float32]) -> int:
    return zlib.crc32(vector.tobytes(), zlib.crc32(key))
