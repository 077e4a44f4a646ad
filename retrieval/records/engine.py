"""The SQLAlchemy engine of a records database, with what SQLite and PostgreSQL need."""

import contextlib
import json
import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from retrieval.errors import MissingExtra, SettingsError

BUSY_SECONDS = 2
"""How long a write waits for a lock on the database."""
CONNECT_SECONDS = 3


def open_engine(url: str | Path) -> Engine:
    """An engine for a SQLAlchemy URL or a SQLite file; it connects on use.

    Raises `SettingsError` for a URL that cannot be used, `MissingExtra` for PostgreSQL without its
    driver.
    """
    try:
        # A path may hold `?` or `#`, which a URL would read as its own.
        parsed = make_url(url) if isinstance(url, str) else URL.create("sqlite", database=str(url))
    except ArgumentError:
        raise _unusable("is no SQLAlchemy URL") from None
    backend = parsed.get_backend_name()
    arguments: dict[str, Any] = {}
    if backend == "sqlite":
        if database_file(parsed) is None:
            # Each thread would see a database of its own, and none would outlive the process.
            raise _unusable("names no database file")
        arguments["timeout"] = BUSY_SECONDS
    elif backend == "postgresql" and "connect_timeout" not in parsed.query:
        arguments["connect_timeout"] = CONNECT_SECONDS
    try:
        engine = create_engine(
            parsed,
            connect_args=arguments,
            pool_pre_ping=backend != "sqlite",
            json_serializer=_dump_json,
        )
    except ModuleNotFoundError as error:
        if backend == "postgresql":
            raise MissingExtra("A PostgreSQL database for records", "postgres") from error
        raise _unusable(f"needs the module {error.name}, which is not installed") from error
    except SQLAlchemyError as error:
        raise _unusable(f"cannot be used: {error}") from error
    if backend == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def database_file(url: URL) -> Path | None:
    """The file of a SQLite database; None for a server or a database in memory."""
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:":
        return None
    if url.database.startswith("file:"):
        return None
    return Path(url.database)


def _dump_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _prepare_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # sqlite3 would begin only at the first INSERT
    # SQLite's own lower() knows ASCII only, and the text filter compares lower-cased.
    connection.create_function("lower", 1, _lower, deterministic=True)
    # The mode stays with the file. Two processes that switch at once get "locked" without waiting;
    # a connection in the old mode works as well.
    with contextlib.suppress(sqlite3.OperationalError):
        connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")


def _begin_sqlite(connection: Connection) -> None:
    statement = connection.get_execution_options().get("sqlite_begin", "BEGIN")
    connection.exec_driver_sql(statement)


def _lower(value: str | None) -> str | None:
    return value.lower() if isinstance(value, str) else value


def _unusable(why: str) -> SettingsError:
    return SettingsError(
        f"Setting 'records.url' {why}.",
        next_action="Write it like sqlite:////path/to/records.db or "
        "postgresql://user@host/database.",
    )
