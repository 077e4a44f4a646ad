"""The app as a whole: it starts, its pages are there, and nothing is fetched from elsewhere."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import App


def test_every_page_opens_and_asks_no_other_server(
    start_app: "Callable[..., App]", page: "Page"
) -> None:
    app = start_app()
    foreign: list[str] = []
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith((app.url, "data:", "blob:"))
            else foreign.append(request.url)
        ),
    )
    for path, title in [
        ("/", "Query"),
        ("/evaluate", "Evaluate"),
        ("/traces", "Traces"),
        ("/knowledge", "Knowledge"),
        ("/settings", "Settings"),
    ]:
        page.goto(app.url + path)
        page.get_by_role("heading", name=title, exact=True).wait_for()
        assert page.locator("[data-testid=stException]").count() == 0
    assert page.title() == "Knowledge lookup workbench"
    assert foreign == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_follows_the_browser(
    start_app: "Callable[..., App]", page: "Page", scheme: str
) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto(start_app().url)
    page.get_by_role("heading", name="Query", exact=True).wait_for()
    shown = page.evaluate("getComputedStyle(document.querySelector('.stApp')).colorScheme")
    assert shown == scheme
