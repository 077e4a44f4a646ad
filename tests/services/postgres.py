"""A PostgreSQL server of the tests' own, on a free loopback port, with its files in a temporary
folder."""

import itertools
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import psycopg

_STARTS = 100
_WAIT = 0.1


def find_binaries() -> Path | None:
    """The newest folder with `initdb` and `postgres`: Debian's, else where the path says."""
    debian = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3])
    )
    found = str(debian[-1]) if debian else shutil.which("initdb")
    return Path(found).resolve().parent if found else None


class PostgresServer:
    """One server. `stop` and `start` let it die and come back with its data, on the same port."""

    def __init__(self, binaries: Path) -> None:
        self._binaries = binaries
        # Not pytest's folder: only its owner may enter that, and the server is another user.
        self._home = Path(tempfile.mkdtemp(prefix="records-postgres-"))
        self._as: dict[str, Any] = {"cwd": self._home}
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            owner = pwd.getpwnam("nobody")
            os.chown(self._home, owner.pw_uid, owner.pw_gid)
            self._as |= {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        self._data = self._home / "data"
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = itertools.count()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = ["--pgdata", self._data, "--username=postgres", "--auth=trust", "--no-sync"]
        subprocess.run(
            [binaries / "initdb", *command, "--encoding=UTF8", "--locale=C.UTF-8"],
            check=True,
            capture_output=True,
            **self._as,
        )

    def start(self) -> None:
        """Start it, and return when it takes connections."""
        options = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": "",
            "fsync": "off",
            "shared_buffers": "32MB",
        }
        words = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        with (self._home / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._binaries / "postgres", "-D", self._data, *words],
                stdout=log,
                stderr=log,
                **self._as,
            )
        for _ in range(_STARTS):
            try:
                psycopg.connect(self.url("postgres"), connect_timeout=2).close()
            except psycopg.OperationalError:
                try:
                    self._process.wait(_WAIT)
                except subprocess.TimeoutExpired:
                    continue
                break
            return
        raise RuntimeError((self._home / "log").read_text(errors="replace"))

    def ensure_running(self) -> None:
        """Start it, unless it runs already."""
        if self._process is None:
            self.start()

    def stop(self) -> None:
        """Let it die at once, with every connection."""
        if self._process is not None:
            self.thaw()
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(30)
            self._process = None

    def freeze(self) -> None:
        """Its processes stop where they are: connections stay open, and nothing answers."""
        self._signal_all(signal.SIGSTOP)

    def thaw(self) -> None:
        """They go on."""
        self._signal_all(signal.SIGCONT)

    def remove(self) -> None:
        """Stop it and delete its files."""
        self.stop()
        shutil.rmtree(self._home)

    def url(self, database: str, *, user: str = "postgres") -> str:
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def new_database(self, *, encoding: str = "UTF8") -> str:
        """The URL of a new, empty database."""
        name = f"records_{next(self._numbers)}"
        locale = "C" if encoding != "UTF8" else "C.UTF-8"
        self.run(
            f"CREATE DATABASE {name} TEMPLATE template0 ENCODING '{encoding}' LOCALE '{locale}'"
        )
        return self.url(name)

    def run(self, *statements: str, url: str | None = None) -> list[tuple[Any, ...]]:
        """The rows of the last of the statements, if it has any."""
        with psycopg.connect(url or self.url("postgres"), autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def _signal_all(self, number: signal.Signals) -> None:
        assert self._process is not None
        main = self._process.pid
        children = Path(f"/proc/{main}/task/{main}/children").read_text().split()
        for pid in (main, *map(int, children)):
            os.kill(pid, number)
