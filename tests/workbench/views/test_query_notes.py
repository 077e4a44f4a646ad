"""The page Query on notes that cannot be read, and on one that is opened."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from retrieval import KnowledgeBase
from tests.workbench.reading import html_of
from workbench.state import query
from workbench.state.query import block_key, side_key

QUERY = "How long is the refund policy open?"
Open = Callable[..., AppTest]


def ask(app: AppTest) -> AppTest:
    return app.run().text_input(query.TEXT).input(QUERY).run()


@pytest.fixture
def partly_unreadable(notes: Path) -> Path:
    (notes / "broken.md").write_text("---\ntitle: a: b: c\n---\nx\n", encoding="utf-8")
    with KnowledgeBase.open(notes) as base:
        base.reindex()
    return notes


def unread_notices(app: AppTest) -> int:
    return sum("could not be read" in text.value for text in app.text)


def test_files_that_cannot_be_read_link_to_their_findings(
    partly_unreadable: Path, open_app: Open
) -> None:
    app = ask(open_app(partly_unreadable))
    assert unread_notices(app) == 1
    (link,) = app.get("page_link")
    assert "Health" in link.proto.label
    assert not app.warning
    app.toggle(query.COMPARE).set_value(True).run()
    app.segmented_control(side_key("b", "mode")).set_value("l0").run()
    assert unread_notices(app) == 1
    assert not app.exception


def test_an_open_note_marks_the_matched_lines(notes: Path, open_app: Open) -> None:
    app = ask(open_app(notes))
    app.button(block_key("open", "billing/refund.md")).click().run()
    (shown,) = [body for body in html_of(app) if "kw-lines" in body]
    assert 'class="hit' in shown
    assert re.search(r'<div class="hit"><i>9</i><span>A customer may ask .* thirty days', shown)
    assert "<div><i>1</i><span>---</span></div>" in shown
