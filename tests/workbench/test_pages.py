"""Each page opens on a knowledge base that is well, and says what is wrong with a broken one."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

PAGES = ["query", "evaluate", "traces", "knowledge", "settings"]


@pytest.mark.parametrize("page", PAGES)
def test_page_opens(page: str, notes: Path, open_app: Callable[..., AppTest]) -> None:
    app = open_app(notes, page).run()
    assert [title.value for title in app.title] == [page.capitalize()]
    assert not app.exception


@pytest.mark.parametrize("page", PAGES)
def test_a_broken_settings_file_is_named(
    page: str, notes: Path, open_app: Callable[..., AppTest]
) -> None:
    (notes / "knowledge.toml").write_text("[lookup]\ntop_kk = 3\n", encoding="utf-8")
    app = open_app(notes, page).run()
    assert "Unknown setting" in app.error[0].value
    assert not app.exception
