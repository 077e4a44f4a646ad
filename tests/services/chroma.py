"""A real Chroma server on loopback that a test starts, kills and starts again."""

import contextlib
import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PATIENCE_SECONDS = 60.0


def free_port() -> int:
    """A loopback port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class RunningChroma:
    """`chroma run` on a folder. Stop it after use; a stopped one can be started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Returns when it answers."""
        beside = Path(sys.executable).with_name("chroma")
        command = str(beside) if beside.exists() else shutil.which("chroma") or "chroma"
        self._process = subprocess.Popen(
            [command, "run", "--path", str(self.folder), "--port", str(self.port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            if self._process.poll() is not None:
                break
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
            with contextlib.suppress(OSError), contextlib.closing(connection):
                connection.request("GET", "/api/v2/heartbeat")
                if connection.getresponse().status == 200:
                    return
            time.sleep(0.05)
        self.kill()
        raise RuntimeError("The Chroma server did not start.")

    def kill(self) -> None:
        """Ends it at once, as a crash would."""
        if self._process is not None:
            # Its own session: `chroma` may be a script that started the server.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None


@contextlib.contextmanager
def running_chroma(folder: Path) -> Iterator[RunningChroma]:
    """A server that has started; it is ended whatever happens."""
    server = RunningChroma(folder)
    server.start()
    try:
        yield server
    finally:
        server.kill()


@contextlib.contextmanager
def guarded(server: RunningChroma, header: str, value: str) -> Iterator[str]:
    """The URL of a proxy before the server that lets requests with this header pass, others not."""

    class Guard(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _pass(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if self.headers.get(header) != value:
                self._answer(401, b'{"error": "AuthorizationError", "message": "Unauthorized"}')
                return
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
            with contextlib.closing(connection):
                sent = {"Content-Type": "application/json"}
                connection.request(self.command, self.path, body, sent)
                answer = connection.getresponse()
                self._answer(answer.status, answer.read())

        do_GET = do_POST = do_PUT = do_DELETE = _pass

        def _answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    proxy = ThreadingHTTPServer(("127.0.0.1", 0), Guard)
    proxy.daemon_threads = True
    thread = threading.Thread(target=proxy.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{proxy.server_port}"
    finally:
        proxy.shutdown()
        proxy.server_close()
        thread.join()
