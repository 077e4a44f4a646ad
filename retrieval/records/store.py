"""Where invocations are stored and read: one engine, one connection per call, a spool behind."""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias

from sqlalchemy import Connection, func, insert, select
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, SQLAlchemyError, StatementError

from retrieval.errors import InvalidInput, RecordError
from retrieval.records.conditions import matching
from retrieval.records.engine import BUSY_SECONDS, database_file, open_engine
from retrieval.records.invocation import ToolInvocation
from retrieval.records.migrations import migrate
from retrieval.records.spool import Spool
from retrieval.records.tables import TOOL_INVOCATION
from retrieval.types import ErrorInfo, Layer, Outcome

Invocations: TypeAlias = list[ToolInvocation]
_ID = TOOL_INVOCATION.c.id


class InvocationStore:
    """The records behind a SQLAlchemy URL, or in a SQLite file. Safe to use from many threads and
    processes.

    The database is created and migrated on first use. Opening raises `SettingsError` for a URL
    that cannot be used and `MissingExtra` for PostgreSQL without its driver.
    """

    def __init__(self, url: str | Path, spool: Path) -> None:
        self._engine = open_engine(url)
        self._writer = self._engine.execution_options(sqlite_begin="BEGIN IMMEDIATE")
        self._file = database_file(self._engine.url)
        self._spool = Spool(spool)
        self._opening = threading.Lock()
        self._opened: tuple[int, int] | None = None

    def write(self, invocation: ToolInvocation) -> ErrorInfo | None:
        """Store one record: None, or a warning when it could not be stored now.

        `record_spooled`: the database is locked, full, damaged, down or too new; the record waits
        in the spool file and is stored after the next write that succeeds. `record_failed`: the
        spool could not be written either, and the record is lost. Never raises for any of these.
        """
        try:
            self._open()
            with self._writer.begin() as connection:
                connection.execute(insert(TOOL_INVOCATION), [_row(invocation)])
        except (SQLAlchemyError, RecordError, OSError) as error:
            return self._write_spool(invocation, _reason(error))
        if self._spool.pending():
            # Without success the spool stays as it is, for the next write; another process that is
            # emptying it holds the lock.
            with contextlib.suppress(SQLAlchemyError, OSError):
                self._spool.drain(self._insert_new, timeout=0)
        return None

    def list(
        self,
        limit: int | None = 50,
        *,
        offset: int = 0,
        outcome: Outcome | None = None,
        layer: Layer | Literal["none"] | None = None,
        text: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> Invocations:
        """Records newest first, at most `limit` after the first `offset`, in the database (the
        spool is not read).

        `layer="none"` finds those without a layer; `text` stands in the query, case ignored;
        `since <= created_at < until`, both with time zone. Raises `RecordError`.
        """
        conditions = matching(outcome=outcome, layer=layer, text=text, since=since, until=until)
        table = TOOL_INVOCATION.c
        statement = (
            select(TOOL_INVOCATION)
            .where(*conditions)
            .order_by(table.created_at.desc(), table.id.desc())
            .limit(limit)
            .offset(offset)
        )
        with self._reading() as connection:
            return [ToolInvocation(**row) for row in connection.execute(statement).mappings()]

    def get(self, id_or_prefix: str) -> ToolInvocation:
        """The record with this id, or the only one whose id begins so.

        Raises `InvalidInput` when there is none or more than one, `RecordError` when the database
        cannot be read.
        """
        prefix = id_or_prefix.strip().lower()
        statement = (
            select(TOOL_INVOCATION).where(_ID.startswith(prefix, autoescape=True)).order_by(_ID)
        )
        with self._reading() as connection:
            rows = connection.execute(statement.limit(5)).mappings().all() if prefix else []
        if len(rows) == 1:
            return ToolInvocation(**rows[0])
        if not rows:
            raise InvalidInput(
                f"No record has an id that begins with '{prefix}'.",
                next_action="See the ids with: lookup-knowledge traces list",
            )
        raise InvalidInput(
            f"Several records have an id that begins with '{prefix}': "
            f"{', '.join(row['id'] for row in rows)}.",
            next_action="Give more of the id.",
        )

    def count(self, **conditions: Any) -> int:
        """How many records `list` has under the same conditions. Raises `RecordError`."""
        statement = select(func.count()).select_from(TOOL_INVOCATION)
        with self._reading() as connection:
            return connection.scalar(statement.where(*matching(**conditions))) or 0

    def waiting(self) -> int:
        """How many records wait in the spool, as far as it can be read."""
        return self._spool.count()

    def flush_spool(self) -> int:
        """Store what waits in the spool; get how many records it held. Raises `RecordError`."""
        if not self._spool.pending():
            return 0
        try:
            self._open()
            return self._spool.drain(self._insert_new)
        except (SQLAlchemyError, OSError) as error:
            raise self._unavailable(error) from error

    def close(self) -> None:
        """Close the connections; the store opens again on its next use."""
        self._engine.dispose()

    def _open(self) -> None:
        identity = self._identity()
        if self._opened is not None and self._opened == identity:
            return
        if not self._opening.acquire(timeout=BUSY_SECONDS):
            raise RecordError(
                "The records database is still being opened.", next_action="Try again."
            )
        try:
            if self._opened is not None and self._opened == self._identity():
                return
            self._engine.dispose()  # connections to a file that was removed would still write
            if self._file is not None:
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

    @contextlib.contextmanager
    def _reading(self) -> Iterator[Connection]:
        try:
            self._open()
            with self._engine.connect() as connection:
                yield connection
        except (SQLAlchemyError, OSError, ValueError) as error:  # ValueError: damaged JSON
            raise self._unavailable(error) from error

    def _write_spool(self, invocation: ToolInvocation, reason: str) -> ErrorInfo:
        try:
            self._spool.append(invocation)
        except OSError as error:
            return ErrorInfo(
                code="record_failed",
                message=f"The lookup was not recorded: {reason}, and the spool file "
                f"{self._spool.path} cannot be written: {_reason(error)}.",
                next_action="Check the state folder and `records.url`.",
            )
        return ErrorInfo(
            code="record_spooled",
            message=f"The record could not be stored now: {reason}.",
            next_action=f"It waits in {self._spool.path} until the database takes records again.",
        )

    def _insert_new(self, invocations: Sequence[ToolInvocation]) -> Invocations:
        """Store those whose id is not there yet; get those that the database refuses for good."""
        rows = {invocation.id: invocation for invocation in invocations}
        try:
            with self._writer.begin() as connection:
                known = connection.scalars(select(_ID).where(_ID.in_(rows))).all()
                new = [_row(rows[key]) for key in rows.keys() - set(known)]
                if new:
                    connection.execute(insert(TOOL_INVOCATION), new)
        except StatementError as error:
            if isinstance(error, DBAPIError) and not isinstance(error, DataError | IntegrityError):
                raise
            if len(rows) == 1:
                return Invocations(rows.values())
            return [bad for row in rows.values() for bad in self._insert_new([row])]
        return []

    def _unavailable(self, error: Exception) -> RecordError:
        url = self._engine.url.render_as_string(hide_password=True)
        return RecordError(
            f"The records at {url} cannot be used: {_reason(error)}.",
            next_action="Check the database and `records.url`.",
        )


def _row(invocation: ToolInvocation) -> dict[str, object]:
    return invocation.to_dict() | {"created_at": invocation.created_at}


def _reason(error: Exception) -> str:
    cause = error.orig if isinstance(error, DBAPIError) and error.orig else error
    if isinstance(cause, RecordError):
        cause = RecordError(cause.message, next_action="")
    return (str(cause).strip().splitlines() or [type(cause).__name__])[0].rstrip(". ")
