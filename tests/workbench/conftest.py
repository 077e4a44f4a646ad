"""The app's script in Streamlit's test runner, on the small notes of the tests."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.notes import write_notes
from workbench.cli import APP
from workbench.launch import Launch

SECONDS = 60


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A knowledge base of small notes that needs no model, indexed."""
    from retrieval import KnowledgeBase

    root = write_notes(tmp_path / "base")
    (root / "knowledge.toml").write_text('[embedding]\nmodel = "hash:256"\n', encoding="utf-8")
    with KnowledgeBase.open(root) as base:
        base.reindex()
    return root


@pytest.fixture
def open_app(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., AppTest]]:
    """`open_app(root, page=None, read_only=False)`: a session of the app, not run yet."""

    def start(root: Path, page: str | None = None, *, read_only: bool = False) -> AppTest:
        environ: dict[str, str] = {}
        Launch(kb=root, read_only=read_only).write_to(environ)
        for name in ("WORKBENCH_KB", "WORKBENCH_READ_ONLY"):
            monkeypatch.delenv(name, raising=False)
        for name, value in environ.items():
            monkeypatch.setenv(name, value)
        app = AppTest.from_file(str(APP), default_timeout=SECONDS)
        return app.switch_page(f"app_pages/{page}.py") if page else app

    yield start
    # The runner's caches outlive a session; the next test has other files.
    st.cache_resource.clear()
