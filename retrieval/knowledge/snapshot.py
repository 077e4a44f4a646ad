"""Loaded knowledge as one JSON file, so that a lookup need not read the notes again."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import orjson

from retrieval.errors import IndexDamaged
from retrieval.knowledge.loading import Knowledge
from retrieval.types import Entry, LoadIssue, LoadReport, Passage

SNAPSHOT_VERSION = 1
_TUPLES = tuple(field.name for field in fields(Entry) if str(field.type).startswith("tuple[str"))


def write_snapshot(path: Path, knowledge: Knowledge) -> None:
    """Writes entries, passages and report; what stands at `path` is replaced."""
    path.write_bytes(
        orjson.dumps(
            {
                "version": SNAPSHOT_VERSION,
                "root": str(knowledge.root),
                "entries": knowledge.entries,
                "report": knowledge.report,
            }
        )
    )


def read_snapshot(path: Path) -> Knowledge:
    """What `write_snapshot` was given.

    Raises `IndexDamaged` when the file is missing, cut off, or of another version.
    """
    try:
        data = orjson.loads(path.read_bytes())
        if data["version"] != SNAPSHOT_VERSION:
            raise ValueError(f"version {data['version']}")
        report = data["report"]
        return Knowledge(
            root=Path(data["root"]),
            entries=tuple(map(_entry, data["entries"])),
            report=LoadReport(
                loaded=report["loaded"],
                issues=tuple(LoadIssue(**issue) for issue in report["issues"]),
            ),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise IndexDamaged(
            f"The snapshot of the notes {path} cannot be read: {error}.",
            next_action="Run: lookup-knowledge index --full",
        ) from error


def _entry(data: dict[str, Any]) -> Entry:
    for name in _TUPLES:
        data[name] = tuple(data[name])
    for passage in data["passages"]:
        passage["breadcrumb"] = tuple(passage["breadcrumb"])
    data["passages"] = tuple(Passage(**passage) for passage in data["passages"])
    return Entry(**data)
