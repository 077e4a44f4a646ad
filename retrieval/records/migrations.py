"""Numbered migrations: the database holds its version, each step runs in one transaction."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from sqlalchemy import Connection, Engine, func, insert, inspect, select, update

from retrieval.errors import RecordError
from retrieval.records.tables import METADATA, SCHEMA_VERSION_TABLE, TOOL_INVOCATION

Migration: TypeAlias = Callable[[Connection], None]

_LOCK_KEY = 0x6C6F6F6B  # any number that other users of the same PostgreSQL hardly use


def _create_tool_invocation(connection: Connection) -> None:
    # From the live table: the first migration that changes it gives this one a copy of its own.
    METADATA.create_all(connection, tables=[TOOL_INVOCATION])


MIGRATIONS: tuple[Migration, ...] = (_create_tool_invocation,)
"""Step n leads from version n to n + 1. Steps are only ever added at the end."""


def migrate(engine: Engine, steps: Sequence[Migration] = MIGRATIONS) -> int:
    """Bring the database to the newest version, and get that version.

    `engine` must begin its transactions with the right to write. Processes that start at once
    wait for each other. A step that fails leaves the version before it.

    Raises `RecordError` when the database is newer than this code.
    """
    with engine.execution_options(sqlite_begin="BEGIN").connect() as connection:
        version = _version(connection)  # without a write lock: mostly there is nothing to do
    while version < len(steps):
        with engine.begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(select(func.pg_advisory_xact_lock(_LOCK_KEY)))
            version = _version(connection)
            if version < len(steps):
                steps[version](connection)
                version += 1
                _set_version(connection, version)
    if version > len(steps):
        raise RecordError(
            f"The records database has schema version {version}, this program knows {len(steps)}.",
            next_action="Upgrade knowledge-lookup-workbench, or name another database in "
            "`records.url`.",
        )
    return version


def _version(connection: Connection) -> int:
    if not inspect(connection).has_table(SCHEMA_VERSION_TABLE.name):
        return 0
    return connection.scalar(select(SCHEMA_VERSION_TABLE.c.version)) or 0


def _set_version(connection: Connection, version: int) -> None:
    SCHEMA_VERSION_TABLE.create(connection, checkfirst=True)
    if not connection.execute(update(SCHEMA_VERSION_TABLE).values(version=version)).rowcount:
        connection.execute(insert(SCHEMA_VERSION_TABLE).values(version=version))
