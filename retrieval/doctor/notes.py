"""The settings, the notes and the state folder."""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from retrieval.doctor.check import Check
from retrieval.settings import Location, LookupSettings

LITTLE_SPACE = 500 * 1024 * 1024
"""Bytes: a re-index works on a copy of the index, and embedding models are of this size."""


def describe_settings(location: Location) -> Check:
    """Where the settings come from, and what they name."""
    origin = location.config or "no knowledge.toml, only defaults and the environment"
    return Check(name="settings", status="ok", detail=f"{origin}; notes in {location.root}")


def check_notes(settings: LookupSettings, location: Location) -> Iterable[Check]:
    """How many files are notes, and how many of them cannot be read."""
    from retrieval.knowledge import load_knowledge

    knowledge = load_knowledge(
        location.root,
        settings.knowledge,
        window=settings.embedding.window,
        measure=lambda text: len(text.split()),
    )
    unread = sorted({issue.source for issue in knowledge.report.errors})
    count = len(knowledge.entries)
    detail = f"{count} {'note' if count == 1 else 'notes'}"
    if unread:
        some = ", ".join(unread[:3]) + (", …" if len(unread) > 3 else "")
        yield Check(
            name="notes",
            status="warning" if count else "problem",
            detail=f"{detail}; cannot be read: {some}",
            next_action="Run: lookup-knowledge lint",
        )
    elif not count:
        yield Check(
            name="notes",
            status="problem",
            detail=f"No file below {location.root} is a note.",
            next_action="Check `root` and `knowledge.include`, or pass --kb another folder.",
        )
    else:
        yield Check(name="notes", status="ok", detail=f"{detail}, all of them readable")


def check_state(_settings: LookupSettings, location: Location) -> Iterable[Check]:
    """Whether index, records and spool can be written, and whether the disk has room."""
    folder = location.state_dir
    nearest = _nearest(folder)
    if not nearest.is_dir():
        yield Check(
            name="state folder",
            status="problem",
            detail=f"{nearest} is in the way: it is no folder.",
            next_action="Move it, or set `state_dir` to another folder.",
        )
        return
    if not os.access(nearest, os.W_OK | os.X_OK):
        yield Check(
            name="state folder",
            status="problem",
            detail=f"{folder} cannot be written by this user.",
            next_action="Set `state_dir` to a folder that you may write to.",
        )
        return
    free = shutil.disk_usage(nearest).free
    there = "" if folder.is_dir() else ", made on first use"
    little = free < LITTLE_SPACE
    yield Check(
        name="state folder",
        status="warning" if little else "ok",
        detail=f"{free / 1024**3:.1f} GiB free for {folder}{there}",
        next_action="Make room on this disk, or set `state_dir` to another." if little else "",
    )


def _nearest(folder: Path) -> Path:
    """The folder, or the closest one above it that exists."""
    return next(path for path in (folder, *folder.parents) if path.exists())
