"""The records database and its spool, read without changing either."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from retrieval.doctor.check import Check
from retrieval.settings import Location, LookupSettings

NAME = "records"


def check_records(settings: LookupSettings, location: Location) -> Iterable[Check]:
    """Whether the database can be reached, has this program's schema and takes records."""
    from retrieval.records import record_place
    from retrieval.records.engine import database_file, read_url

    if settings.records.record == "off":
        yield Check(name=NAME, status="ok", detail="`records.record` is off: nothing is recorded")
        return
    place, _ = record_place(settings, location)
    file = database_file(read_url(place))
    kept = "" if settings.records.record == "full" else "; queries are left out"
    yield _check_file(file, kept) if file is not None else _check_server(str(place), kept)


def check_spool(settings: LookupSettings, location: Location) -> Iterable[Check]:
    """What waits for the database, and what never got in."""
    from retrieval.records import record_place
    from retrieval.records.spool import Spool

    spool = Spool(record_place(settings, location)[1])
    if spool.set_aside.exists():
        yield Check(
            name="spool",
            status="warning",
            detail=f"could never be stored: {_lines(spool.set_aside)} in {spool.set_aside}",
            next_action="Look at that file, then delete it.",
        )
    if spool.pending():
        yield Check(
            name="spool",
            status="warning",
            detail=f"waiting for the database: {_lines(spool.path)} in {spool.path}",
            next_action="Run: lookup-knowledge traces list",
        )
    elif not spool.set_aside.exists():
        yield Check(name="spool", status="ok", detail="empty")


def _check_file(file: Path, kept: str) -> Check:
    if not file.exists():
        return Check(
            name=NAME, status="ok", detail=f"none yet; {file} is made with the first{kept}"
        )
    # Without a log beside it nobody is writing, and SQLite need not make one to read.
    mode = "mode=ro" if file.with_name(file.name + "-wal").exists() else "mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?{mode}", uri=True)) as raw:
            version = _first(raw, "SELECT version FROM schema_version")
            count = _first(raw, "SELECT count(*) FROM tool_invocation")
    except sqlite3.Error as error:
        return Check(
            name=NAME,
            status="problem",
            detail=f"{file} cannot be read: {error}.",
            next_action="Move it away; a new one is made. Records wait in the spool meanwhile.",
        )
    return _judge(version, f"{_records(count)} in {file}{kept}")


def _check_server(url: str, kept: str) -> Check:
    from sqlalchemy import text
    from sqlalchemy.exc import SQLAlchemyError

    from retrieval.records.database import reason
    from retrieval.records.engine import open_engine, shown_url

    engine = open_engine(url)
    shown = shown_url(engine.url)
    try:
        with engine.connect() as connection:
            connection.execute(text("SET TRANSACTION READ ONLY"))
            encoding = connection.scalar(text("SHOW server_encoding"))
            if connection.scalar(text("SELECT to_regclass('tool_invocation')")) is None:
                may = connection.scalar(
                    text("SELECT has_schema_privilege(current_schema(), 'CREATE')")
                )
                return _judge_new(shown, bool(may), str(encoding), kept)
            rights = ("SELECT", "INSERT")
            lacks = [
                right
                for right in rights
                if not connection.scalar(
                    text("SELECT has_table_privilege('tool_invocation', :right)"),
                    {"right": right},
                )
            ]
            if lacks:
                return Check(
                    name=NAME,
                    status="problem",
                    detail=f"{shown}: this role lacks {' and '.join(lacks)} on tool_invocation.",
                    next_action="Grant it; see retrieval/records/README.md.",
                )
            version = connection.scalar(text("SELECT version FROM schema_version"))
            count = connection.scalar(text("SELECT count(*) FROM tool_invocation"))
    except SQLAlchemyError as error:
        return Check(
            name=NAME,
            status="problem",
            detail=f"{shown} cannot be used: {reason(error)}.",
            next_action="Start the server or correct `records.url`; records wait in the spool.",
        )
    finally:
        engine.dispose()
    return _judge(version, f"{_records(count)} in {shown}{kept}", str(encoding))


def _judge_new(shown: str, may_create: bool, encoding: str, kept: str) -> Check:
    if not may_create:
        return Check(
            name=NAME,
            status="problem",
            detail=f"{shown} has no tables, and this role may not create them.",
            next_action="Let the owner run: lookup-knowledge traces list",
        )
    from retrieval.records.migrations import MIGRATIONS

    detail = f"{shown}, empty; the tables are made with the first record{kept}"
    return _judge(len(MIGRATIONS), detail, encoding)


def _judge(version: int | None, detail: str, encoding: str = "UTF8") -> Check:
    from retrieval.records.migrations import MIGRATIONS

    if version is None or version > len(MIGRATIONS):
        return Check(
            name=NAME,
            status="problem",
            detail=f"{detail}; schema version {version}, this program knows {len(MIGRATIONS)}.",
            next_action="Upgrade knowledge-lookup-workbench, or name another database.",
        )
    if encoding != "UTF8":
        return Check(
            name=NAME,
            status="warning",
            detail=f"{detail}; its encoding {encoding} refuses some queries.",
            next_action="Create the database with ENCODING 'UTF8'.",
        )
    older = "" if version == len(MIGRATIONS) else "; brought up to date with the next record"
    return Check(name=NAME, status="ok", detail=detail + older)


def _first(raw: sqlite3.Connection, statement: str) -> int | None:
    row = raw.execute(statement).fetchone()
    return None if row is None else int(row[0])


def _lines(path: Path) -> str:
    with path.open("rb") as file:
        return _records(sum(1 for line in file if line.strip()))


def _records(count: int | None) -> str:
    return f"{count} {'record' if count == 1 else 'records'}"
