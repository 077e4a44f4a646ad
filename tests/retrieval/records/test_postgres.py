"""A PostgreSQL server that is down, frozen, strange or stingy."""

import gc
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from retrieval.errors import MissingExtra, RecordError
from retrieval.records import InvocationStore
from retrieval.records.breaker import Breaker
from tests.retrieval.records.samples import invocation, spool_of
from tests.services.postgres import PostgresServer

# SQLAlchemy drops a pool whose server went away; a connection that another thread still had out
# of it is then closed by the garbage collector, of which psycopg warns.
LEFT_OPEN = pytest.mark.filterwarnings(
    "ignore:(?s).*BaseConnection.*:pytest.PytestUnraisableExceptionWarning"
)


class Clock:
    """Seconds that pass only when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def url(postgres: PostgresServer) -> str:
    return postgres.new_database()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(url: str, tmp_path: Path, clock: Clock) -> Iterator[InvocationStore]:
    spool = tmp_path / "spool" / "records.jsonl"
    store = InvocationStore(url, spool, breaker=Breaker(10.0, clock))
    yield store
    store.close()


def test_records_wait_while_the_server_is_away_and_each_is_stored_once(
    store: InvocationStore, postgres: PostgresServer, clock: Clock, tmp_path: Path
) -> None:
    store.write(invocation("before"))
    postgres.stop()
    warnings = [store.write(invocation(f"during {n}")) for n in range(3)]
    assert [warning.code for warning in warnings if warning] == ["record_spooled"] * 3
    with pytest.raises(RecordError):
        store.count()
    postgres.start()
    clock.now = 11.0
    assert store.write(invocation("after")) is None
    assert spool_of(tmp_path) == []
    assert sorted(row.query or "" for row in store.list()) == [
        "after",
        "before",
        "during 0",
        "during 1",
        "during 2",
    ]


def test_after_a_failure_the_server_is_left_alone_until_one_call_tries_again(
    store: InvocationStore, postgres: PostgresServer, clock: Clock, tmp_path: Path
) -> None:
    postgres.stop()
    first = store.write(invocation("first"))
    assert first is not None
    postgres.start()
    second = store.write(invocation("second"))
    assert second is not None
    assert "the next try is at most 10 s away" in second.message
    assert len(spool_of(tmp_path)) == 2
    clock.now = 10.0
    assert store.write(invocation("third")) is None
    assert store.count() == 3


def test_a_breaker_admits_one_caller_after_its_pause(clock: Clock) -> None:
    breaker = Breaker(10.0, clock)
    assert breaker.admits()
    breaker.fail("gone")
    assert not breaker.admits()
    clock.now = 10.0
    assert [breaker.admits() for _ in range(3)] == [True, False, False]
    breaker.succeed()
    assert breaker.admits()


@LEFT_OPEN
def test_a_server_that_takes_the_call_and_falls_silent_costs_the_record_a_wait_and_not_its_loss(
    store: InvocationStore, postgres: PostgresServer, clock: Clock, tmp_path: Path
) -> None:
    store.write(invocation("before"))
    postgres.freeze()
    try:
        warning = store.write(invocation("during"))
    finally:
        postgres.thaw()
    assert warning is not None
    assert "did not answer in 5 s" in warning.message
    assert len(spool_of(tmp_path)) == 1
    clock.now = 11.0
    assert store.write(invocation("after")) is None
    assert sorted(row.query or "" for row in store.list()) == ["after", "before", "during"]
    gc.collect()


def test_a_database_dropped_and_made_again_under_a_live_store_gets_its_tables(
    store: InvocationStore, url: str, postgres: PostgresServer, tmp_path: Path
) -> None:
    store.write(invocation("lost with its table"))
    postgres.run("DROP TABLE tool_invocation, schema_version", url=url)
    warning = store.write(invocation("waits"))
    assert warning is not None
    assert warning.code == "record_spooled"
    assert store.write(invocation("kept")) is None
    assert sorted(row.query or "" for row in store.list()) == ["kept", "waits"]


@LEFT_OPEN
def test_a_locked_table_costs_a_wait_and_the_record_is_stored_once(
    store: InvocationStore, url: str, clock: Clock, tmp_path: Path
) -> None:
    store.write(invocation("before"))
    during = invocation("during")
    with psycopg.connect(url) as holder:
        holder.execute("LOCK TABLE tool_invocation IN ACCESS EXCLUSIVE MODE")
        warning = store.write(during)
        assert warning is not None
        assert warning.code == "record_spooled"
        assert len(spool_of(tmp_path)) == 1
    clock.now = 11.0
    assert store.write(invocation("after")) is None
    assert sorted(row.query or "" for row in store.list()) == ["after", "before", "during"]
    assert store.get(during.id) == during
    gc.collect()


def test_a_database_that_is_read_only_spools_until_it_is_not(
    store: InvocationStore, url: str, postgres: PostgresServer, tmp_path: Path
) -> None:
    store.write(invocation("before"))
    store.close()
    name = url.rpartition("/")[2]
    postgres.run(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    warning = store.write(invocation("during"))
    assert warning is not None
    assert "read-only" in warning.message
    assert store.count() == 1
    store.close()
    postgres.run(
        "SET default_transaction_read_only = off",
        f"ALTER DATABASE {name} RESET default_transaction_read_only",
    )
    assert store.write(invocation("after")) is None
    assert sorted(row.query or "" for row in store.list()) == ["after", "before", "during"]
    assert spool_of(tmp_path) == []


def test_a_role_that_may_only_add_and_read_is_enough_once_the_tables_are_there(
    store: InvocationStore, url: str, postgres: PostgresServer, tmp_path: Path
) -> None:
    assert store.count() == 0
    name = url.rpartition("/")[2]
    postgres.run(
        "DROP ROLE IF EXISTS recorder",
        "CREATE ROLE recorder LOGIN",
    )
    postgres.run(
        "GRANT SELECT, INSERT ON tool_invocation TO recorder",
        "GRANT SELECT ON schema_version TO recorder",
        url=url,
    )
    limited = InvocationStore(postgres.url(name, user="recorder"), tmp_path / "other.jsonl")
    assert limited.write(invocation("by the recorder")) is None
    assert [row.query for row in limited.list()] == ["by the recorder"]
    with pytest.raises(RecordError, match="permission denied"):
        limited.prune(None, 0)
    limited.close()
    postgres.run("DROP OWNED BY recorder", "DROP ROLE recorder", url=url)


def test_a_role_without_rights_spools(url: str, postgres: PostgresServer, tmp_path: Path) -> None:
    postgres.run("DROP ROLE IF EXISTS stranger", "CREATE ROLE stranger LOGIN")
    name = url.rpartition("/")[2]
    store = InvocationStore(
        postgres.url(name, user="stranger"), tmp_path / "spool" / "records.jsonl"
    )
    warning = store.write(invocation())
    assert warning is not None
    assert "permission denied" in warning.message
    assert len(spool_of(tmp_path)) == 1
    store.close()
    postgres.run("DROP ROLE stranger")


def test_a_database_of_another_encoding_sets_aside_what_it_cannot_hold(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    url = postgres.new_database(encoding="LATIN1")
    store = InvocationStore(url, tmp_path / "spool" / "records.jsonl")
    assert store.write(invocation("Größe")) is None
    warning = store.write(invocation("退款"))
    assert warning is not None
    assert warning.code == "record_spooled"
    assert store.flush_spool() == 0
    aside = (tmp_path / "spool" / "records.jsonl.unreadable").read_text(encoding="utf-8")
    assert "退款" in aside
    assert [row.query for row in store.list()] == ["Größe"]
    store.close()


@LEFT_OPEN
def test_threads_that_find_the_server_gone_lose_nothing(
    store: InvocationStore, postgres: PostgresServer, clock: Clock
) -> None:
    store.write(invocation("0"))
    done = threading.Barrier(5)

    def write_some(name: int) -> None:
        for number in range(10):
            store.write(invocation(f"{name}-{number}"))
        done.wait(60)

    threads = [threading.Thread(target=write_some, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    postgres.stop()
    postgres.start()
    done.wait(60)
    for thread in threads:
        thread.join()
    clock.now = 11.0
    store.write(invocation("last"))
    store.flush_spool()
    assert store.count() == 42
    gc.collect()


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg2"])
def test_every_usual_way_to_name_postgresql_uses_the_driver_of_the_extra(
    url: str, scheme: str, tmp_path: Path
) -> None:
    renamed = url.replace("postgresql:", f"{scheme}:")
    store = InvocationStore(renamed, tmp_path / "records.jsonl")
    assert store.write(invocation()) is None
    store.close()


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://user:secret@127.0.0.1:9/records",
        "postgresql://user@127.0.0.1:9/records?password=secret",
    ],
)
def test_a_server_that_is_down_spools_without_showing_the_password(
    url: str, tmp_path: Path
) -> None:
    store = InvocationStore(url, tmp_path / "spool" / "records.jsonl")
    warning = store.write(invocation())
    assert warning is not None
    assert warning.code == "record_spooled"
    with pytest.raises(RecordError) as error:
        store.count()
    assert "secret" not in str(error.value)
    assert "secret" not in str(warning)


def test_postgresql_without_its_driver_names_the_pip_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra) as error:
        InvocationStore("postgresql://localhost/records", tmp_path / "spool")
    assert error.value.next_action == "Run: pip install 'knowledge-lookup-workbench[postgres]'"
