"""The real app, started by its command on a free port, and a headless Chromium to use it with."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

from tests.browser.chromium import ARGUMENTS, find_chromium
from tests.notes import write_notes

START_SECONDS = 60


@dataclass(frozen=True, slots=True)
class App:
    """A running app and what it runs on."""

    url: str
    root: Path
    """The folder of notes that it was started for; a test may change it."""


def _give_up(reason: str) -> None:
    """Skips, but where the whole project is checked a missing browser is a failure."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def chromium() -> Iterator["Browser"]:
    """A headless Chromium of the system."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _give_up("playwright is not installed: pip install playwright")
    path = find_chromium()
    if path is None:
        _give_up("there is no Chromium on this system: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def start_app(tmp_path: Path, chromium: "Browser") -> Iterator[Callable[..., App]]:
    """`start_app(root=None, *options, notes=None)`: the app on a folder, stopped after the test.

    Without a root, on the small notes of the tests and the `notes` (source → text), indexed with
    the hash embedder. Needs the browser, so that nothing is started where there is none.
    """
    with ExitStack() as running:

        def start(
            root: Path | None = None, *options: str, notes: Mapping[str, str] | None = None
        ) -> App:
            folder = root or write_base(tmp_path / "base", notes or {})
            return running.enter_context(run_app(folder, tmp_path, options))

        yield start


@pytest.fixture
def page(chromium: "Browser") -> Iterator["Page"]:
    """A page of a browser context of its own, the size of a laptop screen."""
    context = chromium.new_context(viewport={"width": 1366, "height": 768})
    context.set_default_timeout(20_000)
    yield context.new_page()
    context.close()


def write_base(folder: Path, notes: Mapping[str, str], *, index: bool = True) -> Path:
    """Writes the small notes and some more with settings that need no model, and indexes them."""
    write_notes(folder)
    for source, text in notes.items():
        (folder / source).parent.mkdir(parents=True, exist_ok=True)
        (folder / source).write_text(text, encoding="utf-8")
    (folder / "knowledge.toml").write_text('[embedding]\nmodel = "hash:256"\n', encoding="utf-8")
    if index:
        from retrieval import KnowledgeBase

        with KnowledgeBase.open(folder) as base:
            base.reindex()
    return folder


@contextmanager
def run_app(root: Path, scratch: Path, options: tuple[str, ...]) -> Iterator[App]:
    """Runs `lookup-knowledge workbench` for a folder; ends it on exit."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "retrieval.cli", "workbench", "--port", str(port)]
    log = scratch / f"app-{port}.log"
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(
            [*command, "--kb", str(root), *options],
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env={
                **os.environ,
                "STREAMLIT_SERVER_HEADLESS": "true",
                "XDG_DATA_HOME": str(scratch / "data"),
            },
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
    pytest.fail(f"The app did not start:\n{log.read_text('utf-8')}")
