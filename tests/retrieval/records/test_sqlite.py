"""A SQLite file that is locked, damaged, gone or in the way."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval.errors import RecordError
from retrieval.records import InvocationStore
from retrieval.records.spool import Spool
from tests.retrieval.records.samples import invocation, spool_of


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "state" / "records.db"


@pytest.fixture
def store(database: Path, tmp_path: Path) -> Iterator[InvocationStore]:
    store = InvocationStore(f"sqlite:///{database}", tmp_path / "spool" / "records.jsonl")
    yield store
    store.close()


class WriteLock:
    """Another connection that holds the database's write lock while the block runs."""

    def __init__(self, database: Path) -> None:
        self._connection = sqlite3.connect(database, isolation_level=None)

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, *_: object) -> None:
        self._connection.execute("ROLLBACK")
        self._connection.close()


def test_a_locked_database_spools_and_the_next_write_stores_both(
    store: InvocationStore, database: Path, tmp_path: Path
) -> None:
    before, during, after = invocation("before"), invocation("during"), invocation("after")
    store.write(before)
    with WriteLock(database):
        warning = store.write(during)
        assert store.count() == 1  # readers do not wait for a writer
    assert warning is not None
    assert warning.code == "record_spooled"
    assert "record could not be stored now: database is locked" in warning.message
    assert len(spool_of(tmp_path)) == 1
    assert store.write(after) is None
    assert {row.query for row in store.list()} == {"before", "during", "after"}
    assert store.get(during.id) == during
    assert spool_of(tmp_path) == []


def test_flush_spool_tells_how_many_waited_and_raises_while_the_database_is_locked(
    store: InvocationStore, database: Path, tmp_path: Path
) -> None:
    store.write(invocation("before"))
    Spool(tmp_path / "spool" / "records.jsonl").append(invocation("during"))
    with WriteLock(database), pytest.raises(RecordError, match="locked"):
        store.flush_spool()
    assert store.flush_spool() == 1
    assert store.flush_spool() == 0
    assert store.count() == 2


def test_a_damaged_database_spools_until_it_is_replaced(
    store: InvocationStore, database: Path, tmp_path: Path
) -> None:
    database.parent.mkdir(parents=True)
    database.write_bytes(b"this is no database, however long it may be " * 100)
    warning = store.write(invocation("during"))
    assert warning is not None
    assert warning.code == "record_spooled"
    assert "not a database" in warning.message
    with pytest.raises(RecordError, match="not a database"):
        store.list()
    database.unlink()
    assert store.write(invocation("after")) is None
    assert [row.query for row in store.list()] == ["after", "during"]


def test_a_database_removed_under_a_live_store_is_made_again(
    store: InvocationStore, database: Path
) -> None:
    store.write(invocation("lost with its file"))
    for path in database.parent.iterdir():
        path.unlink()
    database.parent.rmdir()
    assert store.write(invocation("kept")) is None
    assert [row.query for row in store.list()] == ["kept"]


def test_where_neither_can_be_written_the_caller_is_told(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("no folder")
    store = InvocationStore(f"sqlite:///{file}/records.db", file / "records.jsonl")
    warning = store.write(invocation())
    assert warning is not None
    assert warning.code == "record_failed"
    assert "was not recorded" in warning.message
    with pytest.raises(RecordError):
        store.count()


def test_a_file_that_cannot_be_written_spools(tmp_path: Path) -> None:
    folder = tmp_path / "records.db"
    folder.mkdir()
    store = InvocationStore(f"sqlite:///{folder}", tmp_path / "spool" / "records.jsonl")
    warning = store.write(invocation())
    assert warning is not None
    assert warning.code == "record_spooled"
    assert len(spool_of(tmp_path)) == 1


def test_a_file_may_have_any_name(tmp_path: Path) -> None:
    file = tmp_path / "what? #1 50%" / "records.db"
    store = InvocationStore(file, tmp_path / "spool" / "records.jsonl")
    assert store.write(invocation()) is None
    assert file.is_file()
    store.close()
