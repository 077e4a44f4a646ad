"""Faults of the database of records, and of the disk that it lies on."""

import os
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from retrieval import KnowledgeBase
from tests.faults.site import Site
from tests.mounting import mounted


@contextmanager
def lock_database(site: Site) -> Iterator[None]:
    """Another process writes and does not end."""
    _create_database(site)
    with closing(sqlite3.connect(site.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            other.execute("ROLLBACK")


@contextmanager
def fill_disk(site: Site) -> Iterator[None]:
    """The database is on a disk of its own that has no byte left."""
    disk = site.folder / "disk"
    disk.mkdir()
    with mounted("-t", "tmpfs", "-o", "size=256k", "tmpfs", target=disk):
        site.database = disk / "records.sqlite3"
        site.set("records", f'url = "sqlite:///{site.database}"')
        _create_database(site)
        _fill(disk / "filler")
        yield


def _fill(path: Path) -> None:
    """Writes until no byte is left."""
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"x" * 4096)


@contextmanager
def protect_database(site: Site) -> Iterator[None]:
    """The database is on a disk that is read-only."""
    disk = site.folder / "disk"
    disk.mkdir()
    site.database = disk / "records.sqlite3"
    site.set("records", f'url = "sqlite:///{site.database}"')
    _create_database(site)
    with _read_only(disk):
        yield


@contextmanager
def protect_state(site: Site) -> Iterator[None]:
    """Index, database and spool are on a disk that is read-only."""
    _create_database(site)
    with _read_only(site.state):
        yield


@contextmanager
def stop_database(site: Site) -> Iterator[None]:
    """Records go to a PostgreSQL server, and nobody listens there."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # bound, so that no other takes it, and not listening
        site.set("records", f'url = "postgresql://me@127.0.0.1:{nobody.getsockname()[1]}/records"')
        yield


def damage_database(site: Site) -> None:
    site.database.write_bytes(b"no database " * 1000)


def misname_database(site: Site) -> None:
    site.set("records", 'url = "mysql://me@127.0.0.1/records"')


def _create_database(site: Site) -> None:
    with KnowledgeBase.open(site.folder) as base:
        assert base.records().count() == 0


@contextmanager
def _read_only(folder: Path) -> Iterator[None]:
    """Root may write everywhere but to a disk that is mounted to be read."""
    if os.geteuid() == 0:
        with mounted("--bind", "-o", "ro", str(folder), target=folder):
            yield
        return
    paths = [folder, *folder.rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        yield
    finally:
        for path in paths:
            path.chmod(0o755 if path.is_dir() else 0o644)
