"""What holds for every test: no network, no settings and no state from outside."""

import ipaddress
import os
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True, scope="session")
def _closed_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Settings from outside are gone, and fixtures wider than a test keep state in one place."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("LOOKUP_")]:
            patch.delenv(name)
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("user-data")))
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("user-cache")))
        patch.setattr(socket.socket, "connect", _connect_here)
        yield


@pytest.fixture(autouse=True)
def _own_state(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A knowledge base without `knowledge.toml` starts without state, in subprocesses too."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("user-data")))


_connect = socket.socket.connect


def _connect_here(self: socket.socket, address: Any) -> None:
    if self.family in {socket.AF_INET, socket.AF_INET6} and not _is_loopback(address[0]):
        pytest.fail(f"A test tried to reach another machine: {address}.")
    _connect(self, address)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
