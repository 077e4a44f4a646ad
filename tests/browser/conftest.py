"""The real app, started by its command on a free port, and a headless Chromium to use it with."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.chromium import ARGUMENTS, find_chromium
from tests.browser.serving import App, run_app, write_base

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def _give_up(reason: str) -> None:
    """Skips, but where the whole project is checked a missing browser is a failure."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def chromium() -> Iterator["Browser"]:
    """A headless Chromium of the system.

    For one module: while Playwright runs, its event loop keeps others of this thread from starting.
    """
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
            folder = root or write_base(tmp_path / "base", notes)
            return running.enter_context(run_app(folder, tmp_path, options))

        yield start


@pytest.fixture(scope="module")
def shared_app(tmp_path_factory: pytest.TempPathFactory, chromium: "Browser") -> Iterator[App]:
    """One app on the small notes for all tests that change none of them."""
    scratch = tmp_path_factory.mktemp("shared")
    with run_app(write_base(scratch / "base"), scratch) as app:
        yield app


@pytest.fixture
def page(chromium: "Browser") -> Iterator["Page"]:
    """A page of a browser context of its own, the size of a laptop screen."""
    context = chromium.new_context(viewport={"width": 1366, "height": 768})
    context.set_default_timeout(20_000)
    yield context.new_page()
    context.close()
