"""The page Knowledge in a browser: an edited note is seen after a re-index."""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import App


def test_an_edited_note_is_seen_after_the_reindex(
    start_app: "Callable[..., App]", page: "Page"
) -> None:
    app = start_app()
    page.goto(f"{app.url}/knowledge")
    page.get_by_text("6 notes, 7 passages. Index up to date.").wait_for()
    (app.root / "new.md").write_text(
        "---\ntitle: <script>alert(1)</script>\nkeywords: [parking]\ncategory: travel\n---\n"
        "Park behind the <b>hall</b>.\n",
        encoding="utf-8",
    )
    page.get_by_label("Search").fill("script")
    page.get_by_label("Search").press("Enter")
    page.get_by_text("1 note changed since indexing").first.wait_for()
    page.get_by_text("1 of 7 files").wait_for()
    page.get_by_role("button", name="Re-index").click()
    page.get_by_role("heading", name="Re-indexed").wait_for(timeout=60_000)
    report = page.locator(".kt-row").inner_text().split("\n")
    assert report[report.index("Added") - 1] == "1"
    assert report[report.index("Unchanged") - 1] == "6"
    page.get_by_text("7 notes, 8 passages. Index up to date.").wait_for()

    page.goto(f"{app.url}/knowledge?note=new.md")
    page.get_by_text("Fields as loaded").wait_for()
    assert page.locator(".kt-query").inner_text() == "<script>alert(1)</script>"
    assert "Park behind the <b>hall</b>." in page.get_by_test_id("stCode").inner_text()


def test_findings_are_read_by_rule(start_app: "Callable[..., App]", page: "Page") -> None:
    app = start_app()
    (app.root / "bare.md").write_text("No title, no keywords.\n", encoding="utf-8")
    page.goto(f"{app.url}/knowledge")
    page.get_by_role("tab", name="Health").click()
    page.get_by_text("missing title").click()
    page.get_by_text("goes by its file name").wait_for()
    page.get_by_text("Add title: to the frontmatter").wait_for()


def test_the_end_of_a_reindex_is_seen_on_another_page(
    start_app: "Callable[..., App]", page: "Page"
) -> None:
    app = start_app()
    page.goto(f"{app.url}/knowledge")
    page.get_by_text("Index up to date.").wait_for()
    for number in range(400):  # a run that is still on when the page is left
        text = f"# Note {number}\n\n" + f"Words of note {number}. " * 60
        (app.root / f"more-{number}.md").write_text(text, encoding="utf-8")
    page.reload()
    page.get_by_text("400 notes changed since indexing").wait_for()
    page.get_by_role("button", name="Re-index").click()
    page.get_by_role("link", name="Query").click()
    page.get_by_placeholder("What would you look up?").wait_for()
    page.locator(".kw-health.good").wait_for(timeout=60_000)
    assert page.get_by_text("changed since").count() == 0
