"""Rows that an earlier run measured, kept as long as asking again would give the same.

The key holds everything that can change an answer: the cases, the variant, the digests of
settings, index, embedder and notes, the retrieval depth, the code, and the libraries' versions.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from eval_sets.types import Row
from retrieval.atomic import write_atomic

FOLDER = "eval-rows"
KEPT = 64
"""Files that stay; the ones used longest ago are removed."""
LIBRARIES = (
    "bm25s",
    "chromadb",
    "llama-index-core",
    "llama-index-vector-stores-chroma",
    "numpy",
    "onnxruntime",
    "PyStemmer",
    "tokenizers",
)
"""Libraries whose release may change an answer."""


class RowCache:
    """Rows on disk, below the state folder. Losing it costs time only."""

    def __init__(self, state_dir: Path) -> None:
        self.folder = state_dir / FOLDER

    def get(self, key: Mapping[str, Any]) -> tuple[Row, ...] | None:
        """The rows that were put under this very key; None when there are none or they are cut."""
        path = self._path(key)
        try:
            data = path.read_bytes()
            rows = _rows().validate_json(data)
            path.touch()
        except (OSError, ValidationError):
            return None
        return rows

    def put(self, key: Mapping[str, Any], rows: Sequence[Row]) -> None:
        """Keeps the rows, in one step. A state folder that cannot be written is left alone."""
        try:
            write_atomic(self._path(key), _rows().dump_json(tuple(rows)).decode())
            files = sorted(self.folder.glob("*.json"), key=lambda path: -path.stat().st_mtime)
            for path in files[KEPT:]:
                path.unlink(missing_ok=True)
        except OSError:
            return

    def _path(self, key: Mapping[str, Any]) -> Path:
        text = json.dumps(key, sort_keys=True)
        return self.folder / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.json"


@cache
def code_digest() -> str:
    """Short digest of the code that looks up and makes rows."""
    digest = hashlib.sha256()
    for package in ("retrieval", "eval_sets"):
        spec = find_spec(package)
        folders = spec.submodule_search_locations if spec else None
        for folder in sorted(folders or ()):
            for path in sorted(Path(folder).rglob("*.py")):
                digest.update(path.relative_to(folder).as_posix().encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


@cache
def library_versions() -> dict[str, str]:
    """Name → release of each library that may change an answer, and of this project."""
    found = {}
    for name in ("knowledge-lookup-workbench", *LIBRARIES):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


@cache
def _rows() -> TypeAdapter[tuple[Row, ...]]:
    return TypeAdapter(tuple[Row, ...])
