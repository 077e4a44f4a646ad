"""Takes the screenshot of the workbench's README: `python -m tests.browser.screenshot [FILE]`."""

import os
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from eval_sets.sets import starter
from retrieval import KnowledgeBase
from tests.browser.chromium import ARGUMENTS, find_chromium
from tests.browser.serving import run_app

TARGET = Path(__file__).parents[2] / "workbench" / "screenshot.png"
QUERY = "?q=How+is+the+quarterly+seat+true-up+worked+out%3F"


def take(target: Path, scheme: str = "light") -> None:
    """Writes the page Query on the bundled notes, as a laptop shows it."""
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        os.environ["XDG_DATA_HOME"] = str(Path(scratch) / "data")  # as `run_app` has it
        with KnowledgeBase.open(starter()) as base:
            base.reindex()
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1366, "height": 860}, color_scheme=scheme)
        with run_app(starter(), Path(scratch)) as app:
            page.goto(f"{app.url}/{QUERY}")
            page.locator(".kw-card").first.wait_for(timeout=60_000)
            page.get_by_text("Index up to date").wait_for()
            page.wait_for_timeout(1500)
            page.screenshot(path=target)
        browser.close()


if __name__ == "__main__":
    take(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
