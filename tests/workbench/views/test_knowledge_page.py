"""The page Knowledge on real notes."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from eval_sets.labelling import create_set, judge
from retrieval import KnowledgeBase, lookup_knowledge
from retrieval.semantic.locking import writer_lock
from workbench.services.reindexing import find_run
from workbench.state import knowledge as keys

OpenApp = Callable[..., AppTest]


@pytest.fixture
def notes(notes: Path) -> Path:
    """The small notes with one that is hostile and one that cannot be read."""
    (notes / "odd.md").write_text(
        "---\ntitle: '<b>$x_1$</b> :smile:'\nkeywords: [wifi]\nowner: <i>me</i>\n---\n"
        "<script>alert(1)</script> **bold**\n",
        encoding="utf-8",
    )
    (notes / "broken.md").write_text("---\ntitle: a: b: c\n---\nx\n", encoding="utf-8")
    with KnowledgeBase.open(notes) as base:
        base.reindex()
    return notes


def html(app: AppTest) -> str:
    return "\n".join(element.proto.body for element in app.get("html"))


def sources(app: AppTest) -> list[str]:
    return list(app.dataframe[0].value["Source"]) if app.dataframe else []


def choose(app: AppTest, source: str) -> AppTest:
    key = app.dataframe[0].key
    assert key is not None
    row = sources(app).index(source)
    app.session_state[key] = {"selection": {"rows": [row], "columns": [], "cells": []}}
    return app.run()


def wait(app: AppTest, notes: Path) -> AppTest:
    """Draws the page again when the re-index that it started has ended."""
    run = find_run(KnowledgeBase.open(notes))
    assert run is not None
    run.wait(30)
    return app.run()


def test_every_file_is_a_row_with_its_health(notes: Path, open_app: OpenApp) -> None:
    app = open_app(notes, "knowledge").run()
    assert not app.exception
    table = app.dataframe[0].value.set_index("Source")
    assert table.loc["broken.md", "Health"] == "cannot be read"
    assert table.loc["billing/refund.md", "Health"] == "fine"
    assert table.loc["billing/refund.md", "Passages"] == 2
    assert app.text[0].value.startswith("7 notes, 8 passages, 1 file that cannot be read.")


def test_the_table_is_searched_and_filtered(notes: Path, open_app: OpenApp) -> None:
    app = open_app(notes, "knowledge").run()
    app.text_input(key=keys.TEXT).set_value("REFUND").run()
    assert sources(app) == ["billing/refund.md"]
    app.text_input(key=keys.TEXT).set_value("").run()
    app.selectbox(key=keys.CATEGORY).set_value("network").run()
    assert sources(app) == ["network/vpn.md", "network/wifi.md"]
    app.selectbox(key=keys.CATEGORY).set_value("any category").run()
    app.selectbox(key=keys.HEALTH).set_value("cannot be read").run()
    assert sources(app) == ["broken.md"]


def test_a_note_is_shown_as_text_with_its_fields(notes: Path, open_app: OpenApp) -> None:
    app = choose(open_app(notes, "knowledge").run(), "odd.md")
    assert not app.exception
    assert "&lt;b&gt;$x_1$&lt;/b&gt; :smile:" in html(app)
    assert "&lt;i&gt;me&lt;/i&gt;" in html(app)
    assert "<script>" not in html(app)
    assert "<script>alert(1)</script> **bold**" in app.code[0].value
    assert app.query_params[keys.SOURCE_PARAMETER] == "odd.md"


def test_a_file_that_cannot_be_read_shows_where_and_what_to_do(
    notes: Path, open_app: OpenApp
) -> None:
    page = html(choose(open_app(notes, "knowledge").run(), "broken.md"))
    assert "broken.md:2" in page
    assert "quote" in page.lower()


def test_a_note_says_which_queries_returned_it(notes: Path, open_app: OpenApp) -> None:
    with KnowledgeBase.open(notes) as base:
        lookup_knowledge("lost badge", kb=base)
        judge(create_set("mine", base), "where is the bus", "travel/shuttle.md", 2)
    app = choose(open_app(notes, "knowledge").run(), "travel/shuttle.md")
    assert any("where is the bus" in text.value for text in app.text)
    assert "1 recorded and 1 labelled queries" in "".join(c.value for c in app.caption)


def test_findings_stand_by_rule_with_what_to_change(notes: Path, open_app: OpenApp) -> None:
    with KnowledgeBase.open(notes) as base:
        lookup_knowledge("wifi", kb=base)
    app = open_app(notes, "knowledge").run()
    rules = app.radio(key=keys.RULE)
    assert rules.value == "yaml"  # errors first
    rules.set_value("missing_category").run()
    assert "odd.md" in html(app)
    assert "put it into a folder" in html(app)


def test_an_edit_is_seen_after_a_reindex(notes: Path, open_app: OpenApp) -> None:
    app = open_app(notes, "knowledge").run()
    assert "Index up to date." in app.text[0].value
    path = notes / "network" / "wifi.md"
    path.write_text(path.read_text("utf-8").replace("Wireless", "Radio"), encoding="utf-8")
    (notes / "network" / "vpn.md").unlink()
    app.run()
    assert "2 notes changed since the index was built" in app.text[0].value
    assert app.text[0].value.startswith("6 notes in the folder")
    assert "7 notes in the index" in html(app)
    app.button(key=keys.REINDEX).click().run()
    app = wait(app, notes)
    assert "Index up to date." in app.text[0].value
    assert "Radio network in the office" in list(app.dataframe[0].value["Title"])
    for name, number in {"Updated": 1, "Deleted": 1, "Unchanged": 5, "Failed": 1}.items():
        assert f'<div class="kt-number">{number}</div><div class="kw-muted">{name}<' in html(app)


def test_who_holds_the_index_is_said(notes: Path, open_app: OpenApp) -> None:
    app = open_app(notes, "knowledge").run()
    (notes / "odd.md").unlink()
    with writer_lock(KnowledgeBase.open(notes).location.state_dir):
        app.button(key=keys.REINDEX).click().run()
        app = wait(app, notes)
    assert any("Another process is writing this index" in error.value for error in app.error)
    app.button(key=keys.CLOSE).click().run()
    assert not app.error


def test_read_only_has_no_reindex(notes: Path, open_app: OpenApp) -> None:
    app = open_app(notes, "knowledge", read_only=True).run()
    assert keys.REINDEX not in {button.key for button in app.button}
    assert sources(app)


def test_a_missing_index_and_an_empty_folder_are_said(tmp_path: Path, open_app: OpenApp) -> None:
    (tmp_path / "knowledge.toml").write_text('[embedding]\nmodel = "hash:64"\n')
    app = open_app(tmp_path, "knowledge").run()
    assert not app.exception
    assert app.text[0].value.startswith("0 notes, 0 passages. There is no index yet")
    assert any("There are no notes" in caption.value for caption in app.caption)


def test_a_widget_does_not_read_the_folder_again(notes: Path, open_app: OpenApp) -> None:
    from workbench.caching import folder_state, keep

    app = open_app(notes, "knowledge").run()
    app.text_input(key=keys.TEXT).set_value("refund").run()
    base = KnowledgeBase.open(notes)
    state = f"{folder_state(base)} {app.session_state[keys.USE]}"
    found = keep(base, "survey", lambda: None, state=state)
    assert found is not None
