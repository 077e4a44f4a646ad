"""Where invocations are stored and read: one database, and a spool behind it."""

import contextlib
import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

from sqlalchemy import delete, func, select
from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    IntegrityError,
    InterfaceError,
    OperationalError,
    SQLAlchemyError,
    StatementError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout

from retrieval.errors import InvalidInput, RecordError
from retrieval.records import queries
from retrieval.records.breaker import Breaker
from retrieval.records.database import Database, reason
from retrieval.records.invocation import ToolInvocation
from retrieval.records.spool import Spool
from retrieval.records.tables import TOOL_INVOCATION
from retrieval.types import ErrorInfo, Layer, Outcome
from retrieval.worker import TimeLimit

SERVER_SECONDS = 5.0
"""How long a write to a server may take before its record goes to the spool."""

Invocations: TypeAlias = list[ToolInvocation]
T = TypeVar("T")

_logger = logging.getLogger(__name__)


class InvocationStore:
    """The records behind a SQLAlchemy URL, or in a SQLite file. Safe to use from many threads and
    processes.

    The database is created and migrated on first use. Opening raises `SettingsError` for a URL
    that cannot be used and `MissingExtra` for PostgreSQL without its driver. A server that could
    not be reached is not asked again before `breaker` admits it.
    """

    def __init__(self, url: str | Path, spool: Path, *, breaker: Breaker | None = None) -> None:
        self._database = Database(url)
        self._spool = Spool(spool)
        self._breaker = breaker or Breaker()

    def write(self, invocation: ToolInvocation) -> ErrorInfo | None:
        """Store one record: None, or a warning when it could not be stored now.

        `record_spooled`: the database is locked, full, damaged, down or too new; the record waits
        in the spool file and is stored after the next write that succeeds. `record_failed`: the
        spool could not be written either, and the record is lost. Never raises for any of these.
        """
        if not self._breaker.admits():
            why = f"{self._breaker.reason}; the next try is at most {self._breaker.pause:g} s away"
            return self._write_spool(invocation, why)
        try:
            self._limited(lambda: self._insert([invocation]))
        except (SQLAlchemyError, RecordError, OSError) as error:
            self._note_failure(error)
            return self._write_spool(invocation, reason(error))
        self._breaker.succeed()
        if self._spool.pending():
            # Without success the spool stays as it is, for the next write; another process that is
            # emptying it holds the lock.
            with contextlib.suppress(SQLAlchemyError, RecordError, OSError):
                count = self._spool.drain(self._insert_checked, timeout=0)
                _logger.info("spool stored", extra={"fields": {"records": count}})
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
        statement = queries.select_newest(
            limit, offset, outcome=outcome, layer=layer, text=text, since=since, until=until
        )
        with self._database.reading() as connection:
            return [ToolInvocation(**row) for row in connection.execute(statement).mappings()]

    def get(self, id_or_prefix: str) -> ToolInvocation:
        """The record with this id, or the only one whose id begins so.

        Raises `InvalidInput` when there is none or more than one, `RecordError` when the database
        cannot be read.
        """
        prefix = id_or_prefix.replace("\x00", "").strip().lower()
        statement = queries.select_prefix(prefix).limit(5)
        with self._database.reading() as connection:
            rows = connection.execute(statement).mappings().all() if prefix else []
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
        with self._database.reading() as connection:
            return connection.scalar(queries.select_count(**conditions)) or 0

    def waiting(self) -> int:
        """How many records wait in the spool, as far as it can be read."""
        return self._spool.count()

    def prune(self, before: datetime | None, keep: int | None, *, dry_run: bool = False) -> int:
        """Delete records older than `before`, and all but the newest `keep`; get how many.

        With both, a record goes when either says so. `dry_run` only counts. The spool is not read:
        call `flush_spool` first. A SQLite file shrinks, unless somebody else is writing.

        Raises `InvalidInput` without any limit, for a time without time zone and for a negative
        `keep`; `RecordError` when the database cannot be used.
        """
        if before is None and keep is None:
            raise InvalidInput(
                "Nothing says which records to delete.",
                next_action="Give an age, a number of records to keep, or both.",
            )
        if (keep is not None and keep < 0) or (before and before.utcoffset() is None):
            raise InvalidInput(
                "The time has no time zone, or the number of records to keep is negative.",
                next_action="Give a time with its zone, and 0 or more records.",
            )
        with self._database.named_errors(), self._database.writing() as connection:
            condition = queries.beyond(connection, before, keep)
            if dry_run:
                counted = select(func.count()).select_from(TOOL_INVOCATION).where(condition)
                return connection.scalar(counted) or 0
            deleted = connection.execute(delete(TOOL_INVOCATION).where(condition)).rowcount
        if deleted:
            with contextlib.suppress(SQLAlchemyError, OSError):
                self._database.shrink()
        return deleted

    def flush_spool(self) -> int:
        """Store what waits in the spool; get how many records it held. Raises `RecordError`."""
        if not self._spool.pending():
            return 0
        with self._database.named_errors():
            return self._spool.drain(self._insert_checked)

    def close(self) -> None:
        """Close the connections; the store opens again on its next use."""
        self._database.close()

    def _write_spool(self, invocation: ToolInvocation, why: str) -> ErrorInfo:
        try:
            self._spool.append(invocation)
        except OSError as error:
            return ErrorInfo(
                code="record_failed",
                message=f"The lookup was not recorded: {why}, and the spool file "
                f"{self._spool.path} cannot be written: {reason(error)}.",
                next_action="Check the state folder and `records.url`.",
            )
        return ErrorInfo(
            code="record_spooled",
            message=f"The record could not be stored now: {why}.",
            next_action=f"It waits in {self._spool.path} until the database takes records again.",
        )

    def _note_failure(self, error: Exception) -> None:
        self._database.forget()
        is_away = isinstance(error, OperationalError | InterfaceError | PoolTimeout | OSError)
        if self._database.is_server and is_away:
            self._breaker.fail(reason(error))
            _logger.warning("records server left alone", extra={"fields": {"why": reason(error)}})

    def _limited(self, call: Callable[[], T]) -> T:
        """The call's value. A server that takes it and falls silent costs `SERVER_SECONDS`."""
        if not self._database.is_server:
            return call()  # SQLite has a time limit of its own
        try:
            limit: TimeLimit[T] = TimeLimit()
            return limit.run(call, SERVER_SECONDS)
        except TimeoutError:
            self._database.abandon()
            raise TimeoutError(f"the database did not answer in {SERVER_SECONDS:g} s") from None

    def _insert(self, invocations: Sequence[ToolInvocation]) -> None:
        rows = {invocation.id: _row(invocation) for invocation in invocations}
        with self._database.writing() as connection:
            connection.execute(queries.insert_new(connection), list(rows.values()))

    def _insert_checked(self, invocations: Sequence[ToolInvocation]) -> Invocations:
        """Store those whose id is not there yet; get those that the database refuses for good."""
        if not invocations:
            return []
        try:
            self._limited(lambda: self._insert(invocations))
        except (StatementError, RecursionError) as error:  # RecursionError: nested too deeply
            if isinstance(error, DBAPIError) and not isinstance(error, DataError | IntegrityError):
                raise
            if len(invocations) == 1:
                return Invocations(invocations)
            return [bad for row in invocations for bad in self._insert_checked([row])]
        return []


def _row(invocation: ToolInvocation) -> dict[str, object]:
    return invocation.to_dict() | {"created_at": invocation.created_at}
