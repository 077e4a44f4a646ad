"""The page Traces in a browser: open a record, replay it after an edit, label it with a click."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from eval_sets.labelling import create_set
from retrieval import KnowledgeBase, lookup_knowledge
from tests.browser.conftest import write_base

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.browser.conftest import App

BOX, HEAD, ROW = 12, 37, 33
"""Pixels: the middle of a row's box, the table's head, a row."""


def choose(page: "Page", row: int) -> None:
    """Clicks the box of a row."""
    grid = page.get_by_test_id("stDataFrame").first
    grid.wait_for()
    grid.click(position={"x": BOX + 5, "y": HEAD + ROW * row + ROW // 2})


def test_a_recorded_lookup_is_opened_replayed_and_labelled(
    start_app: "Callable[..., App]", page: "Page", tmp_path: "Path"
) -> None:
    root = write_base(tmp_path / "base", {})
    with KnowledgeBase.open(root) as base:
        lookup_knowledge("<img src=x onerror=alert(1)> guest network", kb=base, caller="agent")
        folder = create_set("mine", base)
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    app = start_app(root)
    page.goto(f"{app.url}/traces")
    page.get_by_text("1 recorded lookup", exact=True).wait_for()
    choose(page, 0)
    page.get_by_text("Evidence as recorded").wait_for()
    assert page.locator("mark").first.inner_text() == "guest network"
    assert page.locator("img[src=x]").count() == 0
    assert "trace=" in page.url

    (root / "network" / "wifi.md").unlink()
    with KnowledgeBase.open(root) as base:
        base.reindex()
    page.get_by_role("button", name="Replay 1 lookup").click()
    page.get_by_text("network/wifi.md (no note any more)").wait_for()

    page.get_by_role("button", name="Label 1 lookup").click()
    page.get_by_text("Query 1 of 1").wait_for()
    assert (folder / "cases.jsonl").read_text(encoding="utf-8") == ""
    page.get_by_text("not relevant", exact=True).nth(1).click()
    labels = folder / "cases.jsonl"
    for _ in range(200):
        if labels.read_text(encoding="utf-8"):
            break
        page.wait_for_timeout(100)
    case = json.loads(labels.read_text(encoding="utf-8"))
    assert list(case["relevant"].values()) == [0]
    assert case["origin"].startswith("trace ")
    assert dialogs == []
