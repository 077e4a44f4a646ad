"""Whether the folder changed since its index was built, from names, sizes and times alone."""

import time

from retrieval.errors import IndexUnavailable
from retrieval.knowledge import scan
from retrieval.semantic.generations import current_generation, read_manifest
from retrieval.settings import Location, LookupSettings
from retrieval.types import ErrorInfo

SCAN_SECONDS = 2.0


class StaleScan:
    """Counts changed notes, at most every two seconds."""

    def __init__(self, settings: LookupSettings, location: Location) -> None:
        self._settings = settings
        self._location = location
        self._counted = (float("-inf"), 0)

    def warning(self) -> ErrorInfo | None:
        """A warning with the number of notes that changed, or None."""
        checked, count = self._counted
        if time.monotonic() - checked > SCAN_SECONDS:
            count = count_stale(self._settings, self._location)
            self._counted = (time.monotonic(), count)
        if not count:
            return None
        return ErrorInfo(
            code="index_stale",
            message=f"{count} {'note has' if count == 1 else 'notes have'} changed since the "
            "index was built.",
            next_action="Run `lookup-knowledge index`.",
        )


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
