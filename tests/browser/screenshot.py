"""Takes the screenshots of the workbench's pages: `python -m tests.browser.screenshot [FOLDER]`."""

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

from eval_sets.sets import starter
from retrieval import KnowledgeBase
from tests.browser.chromium import ARGUMENTS, find_chromium
from tests.browser.serving import run_app

if TYPE_CHECKING:
    from playwright.sync_api import Page

TARGET = Path(__file__).parents[2] / "workbench"
QUERY = "?q=How+is+the+quarterly+seat+true-up+worked+out%3F"
RUN_SECONDS = 900


def take(target: Path, scheme: str = "light") -> None:
    """Writes the pages Query and Evaluate on the bundled notes, as a laptop shows them."""
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        os.environ["XDG_DATA_HOME"] = str(Path(scratch) / "data")  # as `run_app` has it
        with KnowledgeBase.open(starter()) as base:
            base.reindex()
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1366, "height": 860}, color_scheme=scheme)
        with run_app(starter(), Path(scratch)) as app:
            page.goto(f"{app.url}/{QUERY}")
            page.locator(".kw-card").first.wait_for(timeout=180_000)
            page.get_by_text("Index up to date").wait_for(timeout=180_000)
            _write(page, target / "screenshot.png")
            page.goto(f"{app.url}/evaluate")
            page.get_by_text("Test the fallback").click(timeout=60_000)  # five more runs
            page.get_by_role("button", name="Run", exact=True).click()
            page.locator(".kw-findings").wait_for(timeout=RUN_SECONDS * 1000)
            page.locator("[data-testid=stToast]").wait_for(state="hidden", timeout=60_000)
            page.set_viewport_size({"width": 1100, "height": 640})
            _write(page, target / "evaluate.png")
        browser.close()


def _write(page: "Page", file: Path) -> None:
    """The page once it no longer moves."""
    page.wait_for_timeout(1500)
    page.screenshot(path=file)


if __name__ == "__main__":
    take(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
