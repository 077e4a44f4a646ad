"""Whether the folder changed since its index was built, from names, sizes and times alone."""

import threading
import time
from collections.abc import Callable

from retrieval.errors import IndexUnavailable
from retrieval.knowledge import scan
from retrieval.semantic.generations import current_generation, read_manifest
from retrieval.settings import Location, LookupSettings
from retrieval.types import ErrorInfo

LEAST_SECONDS = 2.0
PAUSE = 100
"""A scan that took a second is repeated after so many: it costs lookups one percent at most."""


class StaleScan:
    """Counts changed notes, at most every two seconds, and less often in a large folder."""

    def __init__(
        self,
        settings: LookupSettings,
        location: Location,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._location = location
        self._clock = clock
        self._scanning = threading.Lock()
        self._count: int | None = None
        self._due = float("-inf")

    def warning(self) -> ErrorInfo | None:
        """A warning with the number of notes that changed, or None.

        While another thread scans, what was counted before holds.
        """
        count = self._count
        if self._clock() >= self._due and self._scanning.acquire(blocking=count is None):
            try:
                count = self._scan()
            finally:
                self._scanning.release()
        if not count:
            return None
        return ErrorInfo(
            code="index_stale",
            message=f"{count} {'note has' if count == 1 else 'notes have'} changed since the "
            "index was built.",
            next_action="Run `lookup-knowledge index`.",
        )

    def _scan(self) -> int:
        started = self._clock()
        if self._count is not None and started < self._due:
            return self._count  # another thread has just done it
        self._count = count_stale(self._settings, self._location)
        ended = self._clock()
        self._due = ended + max(LEAST_SECONDS, PAUSE * (ended - started))
        return self._count


def count_stale(settings: LookupSettings, location: Location) -> int:
    """How many notes were added, changed or removed since the index was built; 0 without one."""
    try:
        folder = current_generation(location.state_dir)
        if folder is None:
            return 0
        files = read_manifest(folder).files
    except IndexUnavailable:
        return 0
    indexed = {source: (size, mtime) for source, (size, mtime, _) in files.items()}
    found = scan(location.root, settings.knowledge)
    changed = sum(found.get(source) != stat for source, stat in indexed.items())
    return changed + len(found.keys() - indexed.keys())
