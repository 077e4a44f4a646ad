"""The record store on real SQLite files: writing, reading, and a database that does not work."""

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from retrieval.errors import InvalidInput, MissingExtra, RecordError, SettingsError
from retrieval.records import InvocationStore, ToolInvocation
from retrieval.records.spool import Spool


def invocation(query: str = "refund window", **values: Any) -> ToolInvocation:
    values = {"tool_name": "lookup_knowledge", "caller": "test", "outcome": "evidence"} | values
    return ToolInvocation(query=query, **values)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "state" / "records.db"


@pytest.fixture
def store(database: Path, tmp_path: Path) -> Iterator[InvocationStore]:
    store = InvocationStore(f"sqlite:///{database}", tmp_path / "spool" / "records.jsonl")
    yield store
    store.close()


def spool_of(tmp_path: Path) -> list[str]:
    path = tmp_path / "spool" / "records.jsonl"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


class WriteLock:
    """Another connection that holds the database's write lock while the block runs."""

    def __init__(self, database: Path) -> None:
        self._connection = sqlite3.connect(database, isolation_level=None)

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, *_: object) -> None:
        self._connection.execute("ROLLBACK")
        self._connection.close()


def test_a_record_comes_back_as_it_was_written(store: InvocationStore) -> None:
    written = invocation(
        "Erstattung 🧾 退款",
        session_id="s-1",
        arguments={"top_k": 3, "filters": {"lang": ["de", "en"]}},
        outcome="fallback",
        retrieval_layer="L0",
        latency_ms=12.5,
        error={"code": "l1_failed", "message": "no", "next_action": ""},
        retrieval_details={"l0_hints": {"titles": ["Erstattung"]}, "score": None},
    )
    assert store.write(written) is None
    assert store.get(written.id) == written
    assert store.list() == [written]
    assert store.count() == 1


def test_times_are_stored_and_read_as_utc(store: InvocationStore, database: Path) -> None:
    noon = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=5)))
    written = invocation(created_at=noon)
    store.write(written)
    read = store.get(written.id).created_at
    assert read == noon
    assert read.isoformat() == "2026-03-01T07:00:00+00:00"
    with sqlite3.connect(database) as raw:
        assert raw.execute("SELECT created_at FROM tool_invocation").fetchone() == (
            "2026-03-01 07:00:00.000000",
        )
    raw.close()


def test_a_naive_time_is_refused(store: InvocationStore) -> None:
    naive = datetime(2026, 3, 1, 12)  # noqa: DTZ001
    with pytest.raises(ValueError, match="time zone"):
        invocation(created_at=naive)
    with pytest.raises(RecordError, match="time zone"):
        store.list(since=naive)


def test_what_json_or_a_database_refuses_is_replaced(
    store: InvocationStore, database: Path
) -> None:
    written = invocation(
        "nul \x00 half \ud83d pair",
        latency_ms=float("nan"),
        arguments={"path": Path("a/b"), "tuple": (1, True)},
        retrieval_details={
            "evidence": [{"score": float("nan")}, {"score": float("inf")}, {"score": 0.5}]
        },
    )
    assert store.write(written) is None
    read = store.get(written.id)
    assert read.query == "nul \ufffd half \ufffd pair"
    assert read.latency_ms is None
    assert read.arguments == {"path": "a/b", "tuple": [1, True]}
    assert read.retrieval_details == {
        "evidence": [{"score": None}, {"score": None}, {"score": 0.5}]
    }
    with sqlite3.connect(database) as raw:
        (text,) = raw.execute("SELECT retrieval_details FROM tool_invocation").fetchone()
    raw.close()
    assert "NaN" not in text
    assert "Infinity" not in text


def test_list_filters_and_orders_newest_first(store: InvocationStore) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    rows = [
        invocation("VPN über LAN", retrieval_layer="L0+L1"),
        invocation("100% refund", retrieval_layer="L0", outcome="fallback"),
        invocation("100 refunds", retrieval_layer="L1"),
        invocation("???", outcome="refused"),
    ]
    rows = [
        ToolInvocation.from_dict(row.to_dict() | {"created_at": time.isoformat()})
        for row, time in zip(rows, (start + timedelta(hours=n) for n in range(4)), strict=True)
    ]
    for row in rows:
        store.write(row)
    first, second, third, fourth = rows
    assert store.list() == [fourth, third, second, first]
    assert store.list(2) == [fourth, third]
    assert store.list(outcome="fallback") == [second]
    assert store.list(layer="L0+L1") == [first]
    assert store.list(layer="none") == [fourth]
    assert store.list(text="ÜBER lan") == [first]
    assert store.list(text="100%") == [second]
    assert store.list(text="refund") == [third, second]
    assert store.list(since=start + timedelta(hours=1), until=start + timedelta(hours=2)) == [
        second
    ]


def test_pages_hold_every_record_once_and_the_count_says_how_many(store: InvocationStore) -> None:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    for number in range(7):  # three at one time
        when = at + timedelta(minutes=max(0, number - 2))
        outcome = "fallback" if number % 2 else "evidence"
        assert store.write(invocation(f"q{number}", created_at=when, outcome=outcome)) is None
    pages = [store.list(3, offset=offset) for offset in (0, 3, 6, 9)]
    assert [len(page) for page in pages] == [3, 3, 1, 0]
    assert [trace for page in pages for trace in page] == store.list(None)
    assert (store.count(), store.count(outcome="fallback"), store.count(text="Q4")) == (7, 3, 1)
    assert store.count(since=at + timedelta(minutes=2)) == len(
        store.list(since=at + timedelta(minutes=2))
    )


def test_get_finds_by_a_prefix_that_names_one_record(store: InvocationStore) -> None:
    first, second = invocation(id="ab12" + "0" * 28), invocation(id="ab34" + "0" * 28)
    store.write(first)
    store.write(second)
    assert store.get("AB1") == first
    with pytest.raises(InvalidInput, match="Several records") as several:
        store.get("ab")
    assert first.id in several.value.message
    with pytest.raises(InvalidInput, match="No record"):
        store.get("ff")
    with pytest.raises(InvalidInput, match="No record"):
        store.get("")
    with pytest.raises(InvalidInput, match="No record"):
        store.get("%")


def test_threads_write_at_once(store: InvocationStore) -> None:
    problems: list[object] = []

    def write_some() -> None:
        problems.extend(store.write(invocation()) for _ in range(10))

    threads = [threading.Thread(target=write_some) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == [None] * 80
    assert store.count() == 80


def test_processes_create_the_database_and_write_at_once(
    store: InvocationStore, database: Path, tmp_path: Path
) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from retrieval.records import InvocationStore, ToolInvocation\n"
        "store = InvocationStore(sys.argv[1], Path(sys.argv[2]))\n"
        "for n in range(25):\n"
        "    store.write(ToolInvocation(tool_name='t', caller='c', query=str(n), "
        "outcome='evidence'))\n"
    )
    arguments = [f"sqlite:///{database}", str(tmp_path / "spool" / "records.jsonl")]
    running = [
        subprocess.Popen([sys.executable, "-c", script, *arguments], cwd=Path(__file__).parents[2])
        for _ in range(4)
    ]
    assert [process.wait(timeout=50) for process in running] == [0, 0, 0, 0]
    store.flush_spool()
    assert store.count() == 100


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


def test_a_server_that_is_down_spools_without_showing_the_password(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    url = "postgresql://user:secret@127.0.0.1:9/records"
    store = InvocationStore(url, tmp_path / "spool" / "records.jsonl")
    warning = store.write(invocation())
    assert warning is not None
    assert warning.code == "record_spooled"
    with pytest.raises(RecordError) as error:
        store.count()
    assert "secret" not in str(error.value)
    assert "secret" not in str(warning)


def test_a_file_may_have_any_name(tmp_path: Path) -> None:
    file = tmp_path / "what? #1 50%" / "records.db"
    store = InvocationStore(file, tmp_path / "spool" / "records.jsonl")
    assert store.write(invocation()) is None
    assert file.is_file()
    store.close()


@pytest.mark.parametrize(
    "url", ["records.db", "sqlite://", "sqlite:///:memory:", "nosuch://host/db", ""]
)
def test_an_unusable_url_is_refused_by_name(url: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"records\.url"):
        InvocationStore(url, tmp_path / "spool")


def test_postgresql_without_its_driver_names_the_pip_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra) as error:
        InvocationStore("postgresql://localhost/records", tmp_path / "spool")
    assert error.value.next_action == "Run: pip install 'knowledge-lookup-workbench[postgres]'"
