"""Migrations: from nothing to the newest version, step by step, and never past it."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, inspect, text

from retrieval.errors import RecordError
from retrieval.records import InvocationStore, ToolInvocation
from retrieval.records.engine import open_engine
from retrieval.records.migrations import MIGRATIONS, migrate
from tests.services.postgres import PostgresServer

TABLE = "tool_invocation"


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'records.db'}"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.new_database()


@pytest.fixture
def engine(url: str) -> Iterator[Engine]:
    base = open_engine(url)
    yield base.execution_options(sqlite_begin="BEGIN IMMEDIATE")
    base.dispose()


def add_note(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE tool_invocation ADD COLUMN note TEXT"))


def fail_halfway(connection: Connection) -> None:
    connection.execute(text("CREATE TABLE half (id INTEGER)"))
    connection.execute(text("ALTER TABLE nowhere ADD COLUMN x TEXT"))


def versions(engine: Engine) -> list[int]:
    with engine.connect() as connection:
        return list(connection.scalars(text("SELECT version FROM schema_version")))


def test_an_empty_database_gets_the_newest_schema_and_one_version_row(engine: Engine) -> None:
    assert migrate(engine) == len(MIGRATIONS)
    assert migrate(engine) == len(MIGRATIONS)
    assert versions(engine) == [len(MIGRATIONS)]
    assert [column["name"] for column in inspect(engine).get_columns("tool_invocation")] == [
        "id",
        "created_at",
        "tool_name",
        "caller",
        "session_id",
        "query",
        "arguments",
        "outcome",
        "retrieval_layer",
        "latency_ms",
        "error",
        "retrieval_details",
    ]


def test_the_columns_that_lists_filter_by_are_indexed(engine: Engine) -> None:
    migrate(engine)
    indexes = {tuple(index["column_names"]) for index in inspect(engine).get_indexes(TABLE)}
    assert indexes == {
        ("created_at",),
        ("outcome", "created_at"),
        ("retrieval_layer", "created_at"),
    }


def test_postgresql_keeps_details_as_jsonb_and_times_with_their_zone(
    postgres: PostgresServer,
) -> None:
    url = postgres.new_database()
    engine = open_engine(url)
    migrate(engine)
    engine.dispose()
    rows = postgres.run(
        "SELECT column_name, data_type FROM information_schema.columns "
        f"WHERE table_name = '{TABLE}'",
        url=url,
    )
    types = dict(rows)
    jsonb = {name for name, kind in types.items() if kind == "jsonb"}
    assert jsonb == {"arguments", "error", "retrieval_details"}
    assert types["created_at"] == "timestamp with time zone"


def test_an_old_database_keeps_its_rows_and_gets_the_missing_steps(engine: Engine) -> None:
    migrate(engine)
    with engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO tool_invocation (id, created_at, tool_name, caller, arguments, "
                "outcome, retrieval_details) VALUES ('a', '2026-01-01', 't', 'c', '{}', "
                "'evidence', '{}')"
            )
        )
    assert migrate(engine, (*MIGRATIONS, add_note)) == len(MIGRATIONS) + 1
    with engine.connect() as connection:
        rows = connection.execute(text("SELECT id, note FROM tool_invocation")).all()
    assert [tuple(row) for row in rows] == [("a", None)]
    assert versions(engine) == [len(MIGRATIONS) + 1]


def test_a_step_that_fails_leaves_the_version_before_it(engine: Engine) -> None:
    with pytest.raises(Exception, match="nowhere"):
        migrate(engine, (*MIGRATIONS, add_note, fail_halfway))
    assert versions(engine) == [len(MIGRATIONS) + 1]
    assert "half" not in inspect(engine).get_table_names()


def test_two_that_start_at_once_run_each_step_once(engine: Engine) -> None:
    ran: list[str] = []

    def slow_step(connection: Connection) -> None:
        ran.append(threading.current_thread().name)
        threading.Event().wait(0.05)

    threads = [
        threading.Thread(target=migrate, args=(engine, (*MIGRATIONS, slow_step))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ran) == 1
    assert versions(engine) == [len(MIGRATIONS) + 1]


def test_a_database_newer_than_the_program_says_to_upgrade_and_takes_no_record(
    engine: Engine, url: str, tmp_path: Path
) -> None:
    migrate(engine, (*MIGRATIONS, add_note))
    store = InvocationStore(url, tmp_path / "records.jsonl")
    with pytest.raises(RecordError, match="Upgrade") as error:
        store.list()
    assert f"schema version {len(MIGRATIONS) + 1}" in error.value.message
    warning = store.write(ToolInvocation(tool_name="t", caller="c", query="q", outcome="evidence"))
    assert warning is not None
    assert warning.code == "record_spooled"
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT count(*) FROM tool_invocation")) == 0
    store.close()
