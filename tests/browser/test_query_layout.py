"""How the page Query stands in a browser: its row of settings, and an open note."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import App


def test_labels_are_in_line_and_an_open_note_shows_its_matched_lines(
    start_app: "Callable[..., App]", page: "Page"
) -> None:
    lines = "\n\n".join(f"Paragraph {number} of no interest." for number in range(200))
    text = f"---\ntitle: Seats\n---\n{lines}\n\n## Zebra crossing\n\nZebras cross here.\n"
    app = start_app(notes={"seats.md": text})
    page.goto(f"{app.url}/?q=zebra+crossing&l1=fulltext&top_k=1")
    page.locator(".kw-card").first.wait_for()
    labels = page.locator(".st-key-kw-settings-a [data-testid=stWidgetLabel]")
    tops = {name: labels.filter(has_text=name).first.bounding_box() for name in LABELS}
    assert len({box and round(box["y"]) for box in tops.values()}) == 1
    page.get_by_role("button", name="Open note").click()
    first = page.locator(".kw-lines .hit.first")
    first.wait_for()
    assert first.evaluate("element => getComputedStyle(element).backgroundColor") != NO_COLOUR


LABELS = ("Layers", "Filter", "L1 search", "Top k", "Fault")
NO_COLOUR = "rgba(0, 0, 0, 0)"
