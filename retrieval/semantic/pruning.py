"""Removing what no reader of the index needs any more."""

import shutil
import time
from itertools import pairwise
from pathlib import Path

from retrieval.semantic.generations import index_folder

GRACE_SECONDS = 600.0
"""How long the generation before the current one is kept for readers that still have it open."""
IN_FLIGHT_SECONDS = 60.0
"""How long any other one is kept, for lookups that began on it."""


def remove_old_generations(
    state_dir: Path,
    *,
    grace_seconds: float = GRACE_SECONDS,
    in_flight_seconds: float = IN_FLIGHT_SECONDS,
) -> None:
    """Removes unfinished and superseded generations; call it under the writer lock.

    The newest of the superseded ones stays for `grace_seconds` after it was superseded, the others
    for `in_flight_seconds`, for lookups that still read them. What cannot be removed because
    a reader holds it open is left for the next time.
    """
    index = index_folder(state_dir)
    current = (index / "CURRENT").read_text(encoding="utf-8").strip()
    finished = sorted(path.parent for path in index.glob("gen-*/manifest.json"))
    # A generation was superseded when the next one was finished.
    superseded = {old: new for old, new in pairwise(finished) if old.name != current}
    newest = max(superseded, default=None)
    kept = {index / current}
    for old, new in superseded.items():
        grace = grace_seconds if old == newest else in_flight_seconds
        # `abs`: a time that lies far ahead was written by a clock that went wrong.
        if abs(time.time() - (new / "manifest.json").stat().st_mtime) < grace:
            kept.add(old)
    for folder in set(index.glob("gen-*")) - kept:
        shutil.rmtree(folder, ignore_errors=True)
    for part in index.glob(".CURRENT.*.tmp"):  # of a writer that was killed
        part.unlink(missing_ok=True)
