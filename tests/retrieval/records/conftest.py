"""An empty database of each kind, and a store on it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval.records import InvocationStore
from tests.services.postgres import PostgresServer


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database: a SQLite file, then a real PostgreSQL."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'state' / 'records.db'}"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.new_database()


@pytest.fixture
def store(url: str, tmp_path: Path) -> Iterator[InvocationStore]:
    store = InvocationStore(url, tmp_path / "spool" / "records.jsonl")
    yield store
    store.close()
