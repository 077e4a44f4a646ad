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

_SERVER_DEFAULTS: dict[str, Any] = {
    "connect_timeout": CONNECT_SECONDS,
    "application_name": "lookup-knowledge",
    # A server that vanished without a word is noticed after some 20 s instead of two hours.
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": 20_000,
    # Text is sent as it is, and a database of a narrower encoding refuses what it cannot hold.
    "client_encoding": "utf8",
    # A pooler in front of the server may give each transaction another connection.
    "prepare_threshold": None,
}
_SECRET_OPTIONS = ("password", "sslpassword", "passfile")


def open_engine(url: str | Path) -> Engine:
    """An engine for a SQLAlchemy URL or a SQLite file; it connects on use.

    Raises `SettingsError` for a URL that cannot be used, `MissingExtra` for PostgreSQL without its
    driver.
    """
    parsed = read_url(url)
    is_server = parsed.get_backend_name() == "postgresql"
    arguments = {k: v for k, v in _SERVER_DEFAULTS.items() if k not in parsed.query}
    if not is_server:
        arguments = {"timeout": BUSY_SECONDS}
    try:
        engine = create_engine(
            parsed, connect_args=arguments, pool_pre_ping=is_server, json_serializer=_dump_json
        )
    except ModuleNotFoundError as error:
        if is_server:
            raise MissingExtra("A PostgreSQL database for records", "postgres") from error
        raise _unusable(f"needs the module {error.name}, which is not installed") from error
    except SQLAlchemyError as error:
        raise _unusable(f"cannot be used: {error}") from error
    if not is_server:
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def read_url(url: str | Path) -> URL:
    """The URL in SQLAlchemy's form; PostgreSQL always with the driver that the extra installs.

    Raises `SettingsError` for what is no URL, or names another kind of database.
    """
    try:
        # A path may hold `?` or `#`, which a URL would read as its own.
        parsed = make_url(url) if isinstance(url, str) else URL.create("sqlite", database=str(url))
    except (ArgumentError, ValueError):  # ValueError: a port that is no number
        raise _unusable("is no SQLAlchemy URL") from None
    kind = parsed.drivername.partition("+")[0]
    if kind in ("postgresql", "postgres"):
        return parsed.set(drivername="postgresql+psycopg")
    if kind != "sqlite":
        raise _unusable(f"names the database '{kind}'; records go to SQLite or PostgreSQL")
    if database_file(parsed) is None:
        # Each thread would see a database of its own, and none would outlive the process.
        raise _unusable("names no database file")
    return parsed


def database_file(url: URL) -> Path | None:
    """The file of a SQLite database; None for a server or a database in memory."""
    if not url.drivername.startswith("sqlite") or not url.database or url.database == ":memory:":
        return None
    if url.database.startswith("file:"):
        return None
    return Path(url.database)


def place_url(url: str | None, *, base: Path, default: Path) -> str | Path:
    """Where records go: `url`, a relative SQLite file of it below `base`, or without one `default`.

    Raises `SettingsError` like `read_url`.
    """
    if url is None:
        return default
    file = database_file(read_url(url))
    return url if file is None else base / file


def shown_url(url: URL) -> str:
    """The URL without anything secret, for messages."""
    masked = {key: "***" for key in _SECRET_OPTIONS if key in url.query}
    plain = url.set(drivername=url.get_backend_name()).update_query_dict(masked)
    return plain.render_as_string(hide_password=True)


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
