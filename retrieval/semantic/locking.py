"""The right to write the index: one process and thread has it at a time."""

import errno
import json
import os
import shutil
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import filelock

from retrieval.errors import IndexLocked, IndexUnwritable
from retrieval.semantic.generations import FREE_SPACE, index_folder

_OF_THE_DISK = {
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EFBIG,
    errno.EROFS,
    errno.EIO,
    errno.EACCES,
    errno.EPERM,
}


@contextmanager
def writer_lock(state_dir: Path, *, wait_seconds: float = 0.0) -> Iterator[None]:
    """The right to write the index, for one process and thread at a time.

    Raises `IndexLocked`, which names the holder, when it is not free within `wait_seconds`, and
    `IndexUnwritable` when the state folder cannot be written.
    """
    folder = index_folder(state_dir)
    holder = folder / "writer.json"
    lock = filelock.FileLock(folder / "writer.lock", timeout=wait_seconds)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
        since = datetime.now(UTC).isoformat(timespec="seconds")
        mark = {"pid": os.getpid(), "host": socket.gethostname(), "since": since}
        holder.write_text(json.dumps(mark), encoding="utf-8")
    except filelock.Timeout:
        raise IndexLocked(
            f"Another process is writing this index: {_describe(holder)}.",
            next_action="Wait until it has finished, then try again.",
        ) from None
    except OSError as error:
        lock.release()
        raise IndexUnwritable(
            f"The state folder {state_dir} cannot be written: {error.strerror}.",
            next_action="Set `state_dir` to a folder with space that you may write to.",
        ) from error
    try:
        yield
    finally:
        with suppress(OSError):
            holder.unlink()
        lock.release()


@contextmanager
def failed_writes(state_dir: Path) -> Iterator[None]:
    """Turns a full, read-only or broken disk into `IndexUnwritable`.

    Other errors of the system pass, such as those of a model that is asked over the network.
    """
    try:
        yield
    except shutil.Error as error:  # an `OSError` too, of a folder that was copied
        _, _, reason = error.args[0][0]
        raise IndexUnwritable(
            f"The index below {state_dir} cannot be written: {reason}.", next_action=FREE_SPACE
        ) from error
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        if isinstance(error, OSError):
            where = error.filename or state_dir
            if error.errno not in _OF_THE_DISK or not Path(where).is_relative_to(state_dir):
                raise
        raise IndexUnwritable(
            f"The index below {state_dir} cannot be written: {reason}.", next_action=FREE_SPACE
        ) from error


def _describe(holder: Path) -> str:
    try:
        mark = json.loads(holder.read_bytes())
        return f"process {mark['pid']} on {mark['host']}, since {mark['since']}"
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return "it did not say which"
