"""The record store on a real SQLite file and on a real PostgreSQL: writing and reading."""

import json
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from retrieval.errors import InvalidInput, RecordError, SettingsError
from retrieval.records import InvocationStore, ToolInvocation
from tests.retrieval.records.samples import invocation, read_raw


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


def test_times_are_stored_and_read_as_utc(store: InvocationStore, url: str) -> None:
    noon = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=5)))
    written = invocation(created_at=noon)
    store.write(written)
    read = store.get(written.id).created_at
    assert read == noon
    assert read.isoformat() == "2026-03-01T07:00:00+00:00"
    ((stored,),) = read_raw(url, "SELECT CAST(created_at AS TEXT) FROM tool_invocation")
    assert stored in {"2026-03-01 07:00:00.000000", "2026-03-01 07:00:00+00"}


def test_a_naive_time_is_refused(store: InvocationStore) -> None:
    naive = datetime(2026, 3, 1, 12)  # noqa: DTZ001
    with pytest.raises(ValueError, match="time zone"):
        invocation(created_at=naive)
    with pytest.raises(RecordError, match="time zone"):
        store.list(since=naive)


def test_what_json_or_a_database_refuses_is_replaced(store: InvocationStore, url: str) -> None:
    written = invocation(
        "nul \x00 half \ud83d pair",
        caller="mcp\x00",
        session_id="\ud83d",
        error={"code": "c", "message": "m\x00", "next_action": ""},
        latency_ms=float("nan"),
        arguments={
            "path": Path("a/b"),
            "tuple": (1, True),
            "k\x00ey": "\x00",
            "deep": [{"\udc80": "\udfff"}],
        },
        retrieval_details={
            "evidence": [{"score": float("nan")}, {"score": float("inf")}, {"score": 0.5}]
        },
    )
    assert store.write(written) is None
    read = store.get(written.id)
    assert read.query == "nul \ufffd half \ufffd pair"
    assert (read.caller, read.session_id) == ("mcp\ufffd", "\ufffd")
    assert read.error == {"code": "c", "message": "m\ufffd", "next_action": ""}
    assert read.latency_ms is None
    assert read.arguments == {
        "path": "a/b",
        "tuple": [1, True],
        "k\ufffdey": "\ufffd",
        "deep": [{"\ufffd": "\ufffd"}],
    }
    assert read.retrieval_details == {
        "evidence": [{"score": None}, {"score": None}, {"score": 0.5}]
    }
    ((text,),) = read_raw(url, "SELECT CAST(retrieval_details AS TEXT) FROM tool_invocation")
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
    with pytest.raises(InvalidInput, match="No record"):
        store.get("\x00")


WRONG = {
    "query": {"text": "refund"},
    "id": 5,
    "caller": None,
    "session_id": ["s"],
    "outcome": True,
    "retrieval_layer": 1,
    "latency_ms": "soon",
    "arguments": [1],
    "error": "none",
    "retrieval_details": None,
}


def test_lines_that_cannot_be_stored_are_set_aside_once(
    store: InvocationStore, tmp_path: Path
) -> None:
    good = [invocation("first"), invocation("last")]
    bad = [json.dumps(invocation("x").to_dict() | {name: WRONG[name]}) for name in WRONG]
    bad += [
        json.dumps(invocation("x").to_dict() | values)
        for values in (
            {"latency_ms": 10**400},
            {"created_at": "0001-01-01T00:00:00+14:00"},
            {"created_at": "2026-01-01T00:00:00"},
        )
    ]
    bad += ["[" * 100_000]
    for levels in (300, 600, 990):  # what can be read cannot always be written
        nested = json.dumps(invocation(f"{levels}").to_dict())
        deep = '{"a":' * levels + "1" + "}" * levels
        bad.append(nested.replace('"arguments": {}', f'"arguments": {deep}'))
    spool = tmp_path / "spool" / "records.jsonl"
    spool.parent.mkdir()
    lines = [json.dumps(good[0].to_dict()), *bad, json.dumps(good[1].to_dict())]
    spool.write_text("\n".join(lines) + "\n")
    assert store.write(invocation("now")) is None
    stored = {row.query for row in store.list()}
    assert stored >= {"first", "now", "last"}
    assert "x" not in stored
    aside = spool.with_name("records.jsonl.unreadable")
    kept = aside.read_text().splitlines()
    assert kept == [line for line in bad if not any(f'"query": "{q}"' in line for q in stored)]
    assert kept[: len(WRONG)] == bad[: len(WRONG)]
    assert store.waiting() == 0
    assert (store.flush_spool(), aside.read_text().splitlines()) == (0, kept)


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
    store: InvocationStore, url: str, tmp_path: Path
) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from retrieval.records import InvocationStore, ToolInvocation\n"
        "store = InvocationStore(sys.argv[1], Path(sys.argv[2]))\n"
        "for n in range(25):\n"
        "    store.write(ToolInvocation(tool_name='t', caller='c', query=str(n), "
        "outcome='evidence'))\n"
        "store.close()\n"
    )
    arguments = [url, str(tmp_path / "spool" / "records.jsonl")]
    running = [
        subprocess.Popen([sys.executable, "-c", script, *arguments], cwd=Path(__file__).parents[3])
        for _ in range(4)
    ]
    assert [process.wait(timeout=50) for process in running] == [0, 0, 0, 0]
    store.flush_spool()
    assert store.count() == 100


@pytest.mark.parametrize(
    "unusable",
    [
        "records.db",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///file:x?mode=memory&uri=true",
        "nosuch://host/db",
        "mysql://host/db",
        "",
    ],
)
def test_an_unusable_url_is_refused_by_name(unusable: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"records\.url"):
        InvocationStore(unusable, tmp_path / "spool")
