"""The spool: nothing is lost, nothing is stored twice, a half line harms no other."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval.records import InvocationStore, ToolInvocation
from retrieval.records.spool import BATCH, Spool


def invocation(query: str) -> ToolInvocation:
    return ToolInvocation(tool_name="t", caller="c", query=query, outcome="evidence")


class Taker:
    """A database stand-in that keeps what it is handed and refuses some queries for good."""

    def __init__(self, refuses: str | None = None) -> None:
        self.taken: list[str | None] = []
        self._refuses = refuses

    def __call__(self, rows: Sequence[ToolInvocation]) -> list[ToolInvocation]:
        self.taken += [row.query for row in rows if row.query != self._refuses]
        return [row for row in rows if row.query == self._refuses]


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(tmp_path / "deep" / "records.jsonl")


def test_an_empty_spool_has_nothing_to_hand(spool: Spool) -> None:
    taker = Taker()
    assert not spool.pending()
    assert spool.drain(taker) == 0
    assert taker.taken == []


def test_records_are_handed_in_order_and_the_file_goes(spool: Spool) -> None:
    for number in range(BATCH + 5):
        spool.append(invocation(str(number)))
    taker = Taker()
    assert spool.drain(taker) == BATCH + 5
    assert taker.taken == [str(number) for number in range(BATCH + 5)]
    assert not spool.pending()


def test_a_half_line_is_set_aside_and_the_records_around_it_are_kept(spool: Spool) -> None:
    spool.append(invocation("before"))
    half = json.dumps(invocation("half").to_dict())[:40]
    with spool.path.open("a", encoding="utf-8") as file:
        file.write(half)
    spool.append(invocation("after"))
    taker = Taker()
    assert spool.drain(taker) == 2
    assert taker.taken == ["before", "after"]
    assert spool.set_aside.read_text(encoding="utf-8").splitlines() == [half]


@pytest.mark.parametrize("line", ["[1, 2]", '{"id": "x"}', '{"created_at": 5}', "\x00\x00", "\xff"])
def test_a_line_that_is_no_record_is_set_aside(spool: Spool, line: str) -> None:
    spool.append(invocation("good"))
    with spool.path.open("ab") as file:
        file.write(line.encode("latin-1") + b"\n\n")
    taker = Taker()
    assert spool.drain(taker) == 1
    assert spool.set_aside.read_bytes() == line.encode("latin-1") + b"\n"


def test_a_run_of_blank_lines_hides_no_record(spool: Spool) -> None:
    spool.append(invocation("before"))
    with spool.path.open("ab") as file:
        file.write(b"\n" * (2 * BATCH))
    spool.append(invocation("after"))
    taker = Taker()
    assert spool.drain(taker) == 2
    assert taker.taken == ["before", "after"]
    assert not spool.set_aside.exists()


def test_a_record_refused_for_good_is_set_aside(spool: Spool) -> None:
    for query in ("a", "bad", "b"):
        spool.append(invocation(query))
    taker = Taker(refuses="bad")
    assert spool.drain(taker) == 2
    assert taker.taken == ["a", "b"]
    assert json.loads(spool.set_aside.read_text(encoding="utf-8"))["query"] == "bad"


def test_a_failing_insert_leaves_the_file(spool: Spool) -> None:
    spool.append(invocation("kept"))
    with spool.path.open("ab") as file:
        file.write(b"no record\n")

    def fail(rows: Sequence[ToolInvocation]) -> list[ToolInvocation]:
        raise OSError("down")

    for _ in range(3):
        with pytest.raises(OSError, match="down"):
            spool.drain(fail)
    assert spool.count() == 2
    assert not spool.set_aside.exists()
    assert spool.drain(Taker()) == 1
    assert spool.set_aside.read_bytes() == b"no record\n"


def test_a_row_that_was_stored_before_a_crash_is_not_stored_twice(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    store = InvocationStore(f"sqlite:///{tmp_path / 'records.db'}", path)
    stored, waiting = invocation("stored"), invocation("waiting")
    store.write(stored)
    for record in (stored, waiting, waiting):
        Spool(path).append(record)
    assert store.flush_spool() == 3
    assert sorted(row.query or "" for row in store.list()) == ["stored", "waiting"]
    store.close()


def test_a_row_that_the_database_refuses_does_not_hold_up_the_others(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    store = InvocationStore(f"sqlite:///{tmp_path / 'records.db'}", path)
    bad = replace(invocation("bad"), outcome=None)  # type: ignore[arg-type]
    for record in (invocation("a"), bad, invocation("b")):
        Spool(path).append(record)
    assert store.flush_spool() == 2
    assert sorted(row.query or "" for row in store.list()) == ["a", "b"]
    assert json.loads(Spool(path).set_aside.read_text())["query"] == "bad"
    store.close()


def test_a_write_does_not_wait_for_a_process_that_is_emptying_the_spool(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    store = InvocationStore(f"sqlite:///{tmp_path / 'records.db'}", path)
    Spool(path).append(invocation("waiting"))
    warnings = []

    def write_meanwhile(rows: Sequence[ToolInvocation]) -> list[ToolInvocation]:
        warnings.append(store.write(invocation("new")))
        return []

    Spool(path).drain(write_meanwhile)
    assert warnings == [None]
    assert [row.query for row in store.list()] == ["new"]
    store.close()


def test_the_text_of_a_query_is_data(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    store = InvocationStore(f"sqlite:///{tmp_path / 'records.db'}", path)
    Spool(path).append(invocation("'); DROP TABLE tool_invocation; --"))
    store.flush_spool()
    with sqlite3.connect(tmp_path / "records.db") as raw:
        assert raw.execute("SELECT count(*) FROM tool_invocation").fetchone() == (1,)
    raw.close()
    store.close()
