"""The spool: records that the database did not take, one JSON line each, until it does."""

import json
import os
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path

from filelock import FileLock

from retrieval.records.invocation import ToolInvocation

APPEND_TIMEOUT = 5.0
"""Seconds that an append waits for a process that is emptying the spool."""
BATCH = 200


class Spool:
    """A file of records in waiting. Appends and drains of all processes exclude each other.

    Every method raises `OSError` when the file, or its lock, cannot be had.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.set_aside = path.with_name(path.name + ".unreadable")
        """Lines that are no record, such as a half line after a crash, and those refused."""

    def pending(self) -> bool:
        """True when at least one line waits."""
        try:
            return self.path.stat().st_size > 0
        except OSError:
            return False

    def count(self) -> int:
        """How many lines wait; 0 when the file cannot be read."""
        try:
            with self.path.open("rb") as lines:
                return sum(1 for line in lines if line.strip())
        except OSError:
            return 0

    def append(self, invocation: ToolInvocation) -> None:
        """Put one record at the end, on disk when this returns."""
        line = json.dumps(invocation.to_dict(), ensure_ascii=False, allow_nan=False)
        with self._lock(APPEND_TIMEOUT):
            _append_line(self.path, line.encode())

    def drain(
        self,
        insert: Callable[[Sequence[ToolInvocation]], Iterable[ToolInvocation]],
        *,
        timeout: float = APPEND_TIMEOUT,
    ) -> int:
        """Hand all records to `insert` in batches and remove the file; get how many were handed.

        `insert` gives back the records that can never be stored: they are set aside with the lines
        that are no record, once all others are stored. When it raises, both files stay as they
        were. A record may come twice, after a crash between the insertion and the removal; `insert`
        must bear that.
        """
        with self._lock(timeout):
            if not self.pending():
                return 0
            handed = 0
            aside: list[bytes] = []
            with self.path.open("rb") as lines:
                while batch := list(islice(lines, BATCH)):
                    read = [(line, _read(line)) for line in batch if line.strip()]
                    records = [record for _, record in read if record is not None]
                    refused = {id(record) for record in insert(records)}
                    aside += [line for line, r in read if r is None or id(r) in refused]
                    handed += len(records) - len(refused)
            for line in aside:
                _append_line(self.set_aside, line.rstrip(b"\r\n"))
            self.path.unlink()
            return handed

    def _lock(self, timeout: float) -> FileLock:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        return FileLock(self.path.with_name(self.path.name + ".lock"), timeout=timeout)


def _read(line: bytes) -> ToolInvocation | None:
    try:
        return ToolInvocation.from_dict(json.loads(line))
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None


def _append_line(path: Path, line: bytes) -> None:
    with path.open("a+b") as file:
        if file.tell():
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":  # a half line of a writer that died stays a line of its own
                file.write(b"\n")
        file.write(line + b"\n")
        file.flush()
        os.fsync(file.fileno())
