"""A records database: opened and migrated on use, one connection for each call."""

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from retrieval.errors import RecordError
from retrieval.records.engine import BUSY_SECONDS, database_file, open_engine, shown_url
from retrieval.records.migrations import migrate


class Database:
    """The database behind a SQLAlchemy URL, or a SQLite file. Safe to use from many threads.

    Opening raises `SettingsError` for a URL that cannot be used and `MissingExtra` for PostgreSQL
    without its driver; nothing is connected yet.
    """

    def __init__(self, url: str | Path) -> None:
        self._engine = open_engine(url)
        self._writer = self._engine.execution_options(sqlite_begin="BEGIN IMMEDIATE")
        self._file = database_file(self._engine.url)
        self._opening = threading.Lock()
        self._opened: tuple[int, int] | None = None

    @property
    def is_server(self) -> bool:
        """True for PostgreSQL, which may be out of reach."""
        return self._file is None

    @contextlib.contextmanager
    def writing(self) -> Iterator[Connection]:
        """A connection in a transaction that is committed at the end of the block."""
        self._open()
        with self._writer.begin() as connection:
            yield connection

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection to read with. Raises `RecordError` where the database cannot be read."""
        with self.named_errors():
            self._open()
            with self._engine.connect() as connection:
                yield connection

    @contextlib.contextmanager
    def named_errors(self) -> Iterator[None]:
        """Turns what a database raises into a `RecordError` that names it, without its password."""
        try:
            yield
        except (SQLAlchemyError, OSError, ValueError) as error:  # ValueError: damaged JSON
            self.forget()
            raise RecordError(
                f"The records at {shown_url(self._engine.url)} cannot be used: {reason(error)}.",
                next_action="Check the database and `records.url`.",
            ) from error

    def shrink(self) -> None:
        """Give the space of deleted rows back, and overwrite what stood there; SQLite only.

        A server does this by itself. Raises `OperationalError` while somebody else writes.
        """
        if self._file is not None:
            with self._engine.connect() as connection:
                raw = connection.connection.driver_connection
                assert raw is not None
                connection.rollback()  # VACUUM runs outside a transaction
                raw.execute("VACUUM")
                raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def forget(self) -> None:
        """Look at the schema again before the next call, in case it was another database."""
        self._opened = None

    def close(self) -> None:
        """Close the connections; the next use opens others."""
        self._engine.dispose()

    def abandon(self) -> None:
        """Leave connections that hang to the threads that use them, and open others."""
        self._opened = None
        self._engine.dispose(close=False)

    def _open(self) -> None:
        if self._opened is not None and self._opened == self._identity():
            return
        if not self._opening.acquire(timeout=BUSY_SECONDS):
            raise RecordError(
                "The records database is still being opened.", next_action="Try again."
            )
        try:
            if self._opened is not None and self._opened == self._identity():
                return
            if self._file is not None:
                self._engine.dispose()  # connections to a file that was removed would still write
                self._file.parent.mkdir(parents=True, exist_ok=True)
            migrate(self._writer)
            self._opened = self._identity()
        finally:
            self._opening.release()

    def _identity(self) -> tuple[int, int] | None:
        """Which file the database is now, so that one removed under us is noticed."""
        if self._file is None:
            return (0, 0)
        try:
            stat = self._file.stat()
        except OSError:
            return None
        return (stat.st_dev, stat.st_ino)


def reason(error: Exception) -> str:
    """What went wrong, in one line without its final point."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig else error
    text = cause.message if isinstance(cause, RecordError) else str(cause)
    return (text.strip().splitlines() or [type(cause).__name__])[0].rstrip(". ")
