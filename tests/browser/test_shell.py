"""The app as a whole: it starts, its pages are there, and nothing is fetched from elsewhere."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.serving import App


def test_every_page_opens_and_asks_no_other_server(shared_app: "App", page: "Page") -> None:
    app = shared_app
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
def test_the_theme_follows_the_browser(shared_app: "App", page: "Page", scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto(shared_app.url)
    page.get_by_role("heading", name="Query", exact=True).wait_for()
    shown = page.evaluate("getComputedStyle(document.querySelector('.stApp')).colorScheme")
    assert shown == scheme
