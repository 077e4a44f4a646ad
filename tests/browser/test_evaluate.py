"""The Evaluate page in a browser: a run from its button to one query's answers."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tests.eval_sets.lab import MODEL, labelled

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import App


def test_a_set_is_run_and_a_query_opened_from_the_table(
    start_app: "Callable[..., App]", page: "Page", tmp_path: Path
) -> None:
    eval_set = labelled(tmp_path / "lab")
    settings = f'root = "knowledge"\n[embedding]\nmodel = "{MODEL}"\n'
    (eval_set.folder / "knowledge.toml").write_text(settings, encoding="utf-8")
    app = start_app(eval_set.folder)
    page.set_default_timeout(60_000)
    page.goto(f"{app.url}/evaluate")
    page.get_by_text("10 queries × 2 variants").wait_for()
    page.get_by_role("button", name="Run", exact=True).click()
    findings = page.locator(".kw-findings")
    findings.get_by_text("are not distinguishable in nDCG@10").wait_for(timeout=180_000)

    with page.expect_download() as download:
        page.get_by_role("button", name="JSON").click()
    written = json.loads(Path(download.value.path()).read_text("utf-8"))
    assert download.value.suggested_filename == "report.json"
    assert len(written["report"]["rows"]) == 20

    texts = {}
    for button, name in (("CSV", "rows.csv"), ("HTML", "report.html")):
        with page.expect_download() as download:
            page.get_by_role("button", name=button).click()
        assert download.value.suggested_filename == name
        texts[name] = Path(download.value.path()).read_text("utf-8")
    assert len(list(csv.DictReader(texts["rows.csv"].splitlines()))) == 20
    assert "are not distinguishable in nDCG@10" in texts["report.html"]

    page.get_by_role("radio", name="Queries", exact=True).click()
    table = page.locator("canvas").first
    table.wait_for()
    box = table.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 18, box["y"] + 55)
    page.get_by_text("Asked again now").wait_for()
    page.locator(".kw-relevant", has_text="grade 3").wait_for()

    page.get_by_role("link", name="Settings").click()
    page.get_by_role("heading", name="Settings", exact=True).wait_for()
    page.get_by_role("link", name="Evaluate").click()
    findings.get_by_text("are not distinguishable in nDCG@10").wait_for()
    page.get_by_role("radio", name="Strata", exact=True).click()
    page.locator("[data-testid=stVegaLiteChart]").first.wait_for()
    assert page.locator("[data-testid=stException]").count() == 0

    page.get_by_role("radio", name="Saved report", exact=True).click()
    upload = page.locator("[data-testid=stFileUploaderDropzoneInput]")
    report = {"name": "earlier.json", "mimeType": "application/json"}
    upload.set_input_files({**report, "buffer": b'{"report": {}}'})
    page.get_by_text("is no report of an evaluation").wait_for()
    upload.set_input_files({**report, "buffer": json.dumps(written).encode()})
    page.get_by_text("Nothing: same set").wait_for()
