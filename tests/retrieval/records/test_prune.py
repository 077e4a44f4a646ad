"""Retention: which records go, by age, by number, or by both."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from retrieval.errors import InvalidInput, RecordError
from retrieval.records import InvocationStore
from tests.retrieval.records.samples import invocation

START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def filled(store: InvocationStore) -> InvocationStore:
    """Five records, a day apart; the last two at the same instant."""
    for day in (0, 1, 2, 3, 3):
        store.write(invocation(str(day), created_at=START + timedelta(days=day)))
    return store


def left(store: InvocationStore) -> list[str | None]:
    return [row.query for row in store.list()]


def test_records_older_than_a_time_go_and_one_of_that_time_stays(filled: InvocationStore) -> None:
    assert filled.prune(START + timedelta(days=2), None) == 2
    assert left(filled) == ["3", "3", "2"]


@pytest.mark.parametrize("keep", [0, 1, 2, 4, 5, 6])
def test_the_newest_stay_whatever_their_time(filled: InvocationStore, keep: int) -> None:
    before = filled.list()
    assert filled.prune(None, keep) == max(0, 5 - keep)
    assert filled.list() == before[:keep]


def test_with_both_limits_a_record_goes_when_either_says_so(filled: InvocationStore) -> None:
    assert filled.prune(START + timedelta(days=1), 3) == 2
    assert left(filled) == ["3", "3", "2"]
    assert filled.prune(START + timedelta(days=3), 3) == 1
    assert left(filled) == ["3", "3"]


def test_a_dry_run_counts_and_deletes_nothing(filled: InvocationStore) -> None:
    assert filled.prune(START + timedelta(days=2), None, dry_run=True) == 2
    assert filled.count() == 5


def test_an_empty_database_has_nothing_to_lose(store: InvocationStore) -> None:
    assert store.prune(START, 0) == 0


def test_nothing_goes_without_a_limit(filled: InvocationStore) -> None:
    with pytest.raises(InvalidInput, match="Nothing says"):
        filled.prune(None, None)
    with pytest.raises(InvalidInput, match="negative"):
        filled.prune(None, -1)
    with pytest.raises(InvalidInput, match="zone"):
        filled.prune(datetime(2026, 1, 1), None)  # noqa: DTZ001
    assert filled.count() == 5


def test_a_sqlite_file_shrinks_and_holds_no_deleted_text(tmp_path: Path) -> None:
    file = tmp_path / "records.db"
    store = InvocationStore(file, tmp_path / "spool.jsonl")
    for number in range(50):
        details = {"l0_hints": {"titles": ["a secret of the customer " * 100]}}
        store.write(invocation(str(number), retrieval_details=details))
    assert store.prune(None, 0) == 50
    assert b"a secret of the customer" not in file.read_bytes()
    assert file.stat().st_size < 100_000
    assert store.write(invocation("goes on")) is None
    store.close()
    assert b"a secret" not in b"".join(p.read_bytes() for p in tmp_path.iterdir())


def test_a_database_that_cannot_be_used_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "records.db"
    folder.mkdir()
    with pytest.raises(RecordError, match="cannot be used"):
        InvocationStore(folder, tmp_path / "spool.jsonl").prune(START, None)
