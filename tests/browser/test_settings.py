"""The page Settings in a browser: the difference first, then the file."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import App


def test_a_setting_is_changed_after_its_difference_was_shown(
    start_app: "Callable[..., App]", page: "Page"
) -> None:
    app = start_app()
    file = app.root / "knowledge.toml"
    before = file.read_text(encoding="utf-8")
    page.goto(f"{app.url}/settings")
    field = page.get_by_label("top_k")
    field.fill("0")
    field.press("Enter")
    page.get_by_text("Input should be greater than or equal to 1").wait_for()
    assert page.get_by_role("button", name="Apply").is_disabled()
    field.fill("3")
    field.press("Enter")
    page.get_by_text("+top_k = 3").wait_for()
    assert file.read_text(encoding="utf-8") == before
    page.get_by_role("button", name="Apply").click()
    page.get_by_text("knowledge.toml was written.").wait_for()
    assert file.read_text(encoding="utf-8") == before + "\n[lookup]\ntop_k = 3\n"
    assert page.get_by_label("top_k").input_value() == "3"


def test_read_only_shows_settings_without_a_form(
    start_app: "Callable[..., App]", page: "Page"
) -> None:
    app = start_app(None, "--read-only")
    page.goto(f"{app.url}/settings")
    page.get_by_text("started with --read-only").wait_for()
    assert page.get_by_label("top_k").count() == 0
    page.get_by_text("Least cosine of an L1 passage").wait_for()
