"""The app as its users start it: a process on a free port, on a folder of notes."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

from tests.notes import write_notes

START_SECONDS = 60


@dataclass(frozen=True, slots=True)
class App:
    """A running app and what it runs on."""

    url: str
    root: Path
    """The folder of notes that it was started for; a test may change it."""


def write_base(folder: Path, notes: Mapping[str, str] | None = None, *, index: bool = True) -> Path:
    """Writes the small notes and some more with settings that need no model, and indexes them."""
    write_notes(folder)
    for source, text in (notes or {}).items():
        (folder / source).parent.mkdir(parents=True, exist_ok=True)
        (folder / source).write_text(text, encoding="utf-8")
    (folder / "knowledge.toml").write_text('[embedding]\nmodel = "hash:256"\n', encoding="utf-8")
    if index:
        from retrieval import KnowledgeBase

        with KnowledgeBase.open(folder) as base:
            base.reindex()
    return folder


@contextmanager
def run_app(root: Path, scratch: Path, options: tuple[str, ...] = ()) -> Iterator[App]:
    """Runs `lookup-knowledge workbench` for a folder; ends it on exit.

    State that does not lie beside the notes lies in `scratch`.
    """
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "retrieval.cli", "workbench", "--port", str(port)]
    log = scratch / f"app-{port}.log"
    state = {"XDG_DATA_HOME": str(scratch / "data")}
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(
            [*command, "--kb", str(root), *options],
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "STREAMLIT_SERVER_HEADLESS": "true", **state},
        )
    try:
        app = App(f"http://127.0.0.1:{port}", root)
        _wait(app, process, log)
        yield app
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(app: App, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urlopen(f"{app.url}/_stcore/health", timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"The app did not start:\n{log.read_text('utf-8')}")
