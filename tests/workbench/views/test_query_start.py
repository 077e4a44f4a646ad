"""The page Query before a question, and loaded anew."""

from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

from eval_sets.labelling import find_own_set, read_judgements
from retrieval import KnowledgeBase
from tests.workbench.reading import text_of
from workbench.state import query
from workbench.state.query import block_key

QUERY = "How long is the refund policy open?"
Open = Callable[..., AppTest]


def test_titles_of_notes_can_be_asked_by_a_click(notes: Path, open_app: Open) -> None:
    app = open_app(notes).run()
    labels = [app.button(key).label for key in query.EXAMPLES]
    assert len(set(labels)) == 3
    app.button(query.EXAMPLES[0]).click().run()
    assert app.text_input(query.TEXT).value == labels[0].replace("\\", "")
    assert "L1 answered" in text_of(app)
    assert not app.exception


def test_who_judges_is_there_again_after_a_reload(notes: Path, open_app: Open) -> None:
    app = open_app(notes).run().text_input(query.TEXT).input(QUERY).run()
    app.text_input(query.JUDGE_NEW).input("mine").run()
    app.button(query.JUDGE_CREATE).click().run()
    assert any("Not signed" in caption.value for caption in app.caption)
    app.text_input(query.JUDGE_BY).input("Ana").run()
    assert not any("Not signed" in caption.value for caption in app.caption)
    anew = open_app(notes)
    for name, values in app.query_params.items():
        anew.query_params[name] = values
    anew.run()
    assert anew.text_input(query.JUDGE_BY).value == "Ana"
    anew.segmented_control(block_key("judge", "billing/refund.md")).set_value("relevant").run()
    with KnowledgeBase.open(notes) as base:
        folder = find_own_set("mine", base)
    assert folder is not None
    assert "Ana" in (folder / "cases.jsonl").read_text(encoding="utf-8")
    assert read_judgements(folder, QUERY).case is not None
