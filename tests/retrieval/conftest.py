"""The database server that tests of records and of the doctor ask for."""

import os
from collections.abc import Iterator

import pytest

from tests.services.postgres import PostgresServer, find_binaries


@pytest.fixture(scope="session")
def _postgres_process() -> Iterator[PostgresServer]:
    binaries = find_binaries()
    if binaries is None:
        if os.environ.get("CI"):
            pytest.fail("PostgreSQL is not installed: apt-get install postgresql")
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    server = PostgresServer(binaries)
    try:
        server.start()
        yield server
    finally:
        server.remove()


@pytest.fixture
def postgres(_postgres_process: PostgresServer) -> Iterator[PostgresServer]:
    """A running PostgreSQL server, shared by all tests, that a test may stop and start."""
    yield _postgres_process
    _postgres_process.ensure_running()
