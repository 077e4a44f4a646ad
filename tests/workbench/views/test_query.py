"""The page Query in Streamlit's runner, on a real knowledge base."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from eval_sets.labelling import find_own_set, read_judgements
from retrieval import KnowledgeBase
from tests.notes import write_notes
from tests.workbench.reading import html_of, text_of
from workbench.state import query, shell
from workbench.state.query import block_key, side_key

QUERY = "How long is the refund policy open?"
Open = Callable[..., AppTest]


def records(root: Path) -> int:
    with KnowledgeBase.open(root) as base:
        return base.records().count()


def ask(app: AppTest, text: str = QUERY) -> AppTest:
    return app.run().text_input(query.TEXT).input(text).run()


def test_an_answer_shows_hints_decision_evidence_and_counts(notes: Path, open_app: Open) -> None:
    app = ask(open_app(notes))
    page = text_of(app)
    assert any("<mark>refund policy</mark>" in body for body in html_of(app))
    for words in ("L1 is limited to billing", "billing/refund.md", "thirty days", "candidates"):
        assert words in page
    assert not app.exception


def test_a_lookup_is_recorded_once_however_often_the_page_is_drawn(
    notes: Path, open_app: Open
) -> None:
    app = ask(open_app(notes))
    assert records(notes) == 1
    app.run()
    app.toggle(query.COMPARE).set_value(True).run()  # the same settings twice: nothing new to ask
    app.toggle(query.COMPARE).set_value(False).run()
    app.selectbox(query.WHY_SOURCE).set_value("travel/shuttle.md").run()
    assert records(notes) == 1
    app.button(query.RUN).click().run()
    assert records(notes) == 2


def test_the_record_names_the_app_and_the_session(notes: Path, open_app: Open) -> None:
    ask(open_app(notes))
    with KnowledgeBase.open(notes) as base:
        (row,) = base.records().list()
    assert row.caller == "workbench"
    assert row.session_id
    assert row.query == QUERY


def test_a_fault_is_shown_as_a_fallback(notes: Path, open_app: Open) -> None:
    app = ask(open_app(notes))
    app.selectbox(side_key("a", "fault")).set_value("l1-raises").run()
    assert "Fallback: L0 answers alone" in text_of(app)
    assert "fault l1" in app.warning[0].value


def test_a_link_reproduces_the_page(notes: Path, open_app: Open) -> None:
    first = ask(open_app(notes))
    first.segmented_control(side_key("a", "mode")).set_value("l0").run()
    first.number_input(side_key("a", "top_k")).set_value(1).run()
    first.multiselect(side_key("a", "filters")).set_value([("category", "billing")]).run()
    second = open_app(notes)
    for name, values in first.query_params.items():
        second.query_params[name] = values
    second.run()
    assert second.query_params == first.query_params
    assert second.segmented_control(side_key("a", "mode")).value == "l0"
    assert second.multiselect(side_key("a", "filters")).value == [("category", "billing")]
    shown = [[b for b in html_of(app) if "kw-card" in b] for app in (first, second)]
    assert shown[0] == shown[1]
    assert len(shown[0]) == 1


def test_what_a_link_asks_for_in_vain_is_said_until_the_user_goes_on(
    notes: Path, open_app: Open
) -> None:
    app = open_app(notes)
    app.query_params["q"] = QUERY
    app.query_params["mode"] = "banana"
    app.query_params["where"] = "category=nowhere"
    app.run()
    assert "mode=banana" in app.warning[0].value
    assert "nowhere fits no note" in app.warning[0].value
    assert "billing/refund.md" in text_of(app)
    app.text_input(query.TEXT).input("vpn").run()
    assert not app.warning


def test_the_query_is_there_again_after_another_page(notes: Path, open_app: Open) -> None:
    app = ask(open_app(notes))
    app.switch_page("app_pages/traces.py").run()
    app.query_params.clear()
    app.switch_page("app_pages/query.py").run()
    assert app.text_input(query.TEXT).value == QUERY
    assert records(notes) == 1


def test_two_sessions_do_not_share_their_state(notes: Path, open_app: Open) -> None:
    ask(open_app(notes))
    other = open_app(notes).run()
    assert other.text_input(query.TEXT).value == ""
    assert "billing/refund.md" not in text_of(other)


def test_two_settings_are_compared_note_by_note(notes: Path, open_app: Open) -> None:
    app = ask(open_app(notes))
    app.toggle(query.COMPARE).set_value(True).run()
    app.segmented_control(side_key("b", "mode")).set_value("l0").run()
    assert any("kw-compare" in body for body in html_of(app))
    assert records(notes) == 2
    assert not app.exception


def test_notes_of_a_comparison_are_judged_and_followed(notes: Path, open_app: Open) -> None:
    app = ask(open_app(notes))
    app.toggle(query.COMPARE).set_value(True).run()
    app.number_input(side_key("b", "top_k")).set_value(1).run()
    app.text_input(query.JUDGE_NEW).input("mine").run()
    app.button(query.JUDGE_CREATE).click().run()
    app.segmented_control(block_key("judge", "billing/refund.md")).set_value("relevant").run()
    app.selectbox(query.JUDGE_MISSING).set_value("travel/shuttle.md").run()
    app.button(query.JUDGE_ADD).click().run()
    assert judged(notes) == {"billing/refund.md": 2, "travel/shuttle.md": 2}
    with KnowledgeBase.open(notes) as base:
        second = base.lookup(QUERY).supplement[0].source
    app.selectbox(query.WHY_SOURCE).set_value(second).run()
    ways = [body for body in html_of(app) if "kw-stages" in body]
    assert ['class="lost"' in way for way in ways] == [False, True]
    assert not app.exception


def test_why_not_names_the_stage(notes: Path, open_app: Open) -> None:
    app = ask(open_app(notes))
    app.number_input(side_key("a", "top_k")).set_value(1).run()
    app.selectbox(query.WHY_SOURCE).set_value("network/wifi.md").run()
    assert any('class="lost"' in body for body in html_of(app))


def test_a_verdict_becomes_a_case_and_can_be_taken_back(notes: Path, open_app: Open) -> None:
    app = ask(open_app(notes))
    app.text_input(query.JUDGE_NEW).input("mine").run()
    app.button(query.JUDGE_CREATE).click().run()
    assert app.selectbox(query.JUDGE_SET).value == "mine"
    key = block_key("judge", "billing/refund.md")
    app.segmented_control(key).set_value("relevant").run()
    app.selectbox(query.JUDGE_MISSING).set_value("travel/shuttle.md").run()
    app.button(query.JUDGE_ADD).click().run()
    assert judged(notes) == {"billing/refund.md": 2, "travel/shuttle.md": 2}
    app.segmented_control(key).set_value(None).run()
    assert judged(notes) == {"travel/shuttle.md": 2}
    assert not app.exception


def judged(root: Path) -> dict[str, int]:
    with KnowledgeBase.open(root) as base:
        folder = find_own_set("mine", base)
    assert folder is not None
    case = read_judgements(folder, QUERY).case
    return dict(case.relevant) if case else {}


def test_a_verdict_on_a_set_that_changed_meanwhile_is_refused(notes: Path, open_app: Open) -> None:
    app = ask(open_app(notes))
    app.text_input(query.JUDGE_NEW).input("mine").run()
    app.button(query.JUDGE_CREATE).click().run()
    cases = next(notes.rglob("cases.jsonl"))
    line = '{"id": "x", "query": "vpn", "relevant": {"network/vpn.md": 1}}\n'
    cases.write_text(line, encoding="utf-8")
    app.segmented_control(block_key("judge", "billing/refund.md")).set_value("not").run()
    assert "nothing was written" in app.error[0].value.replace("\\", "")
    assert cases.read_text(encoding="utf-8") == line


def test_read_only_hides_what_writes(notes: Path, open_app: Open) -> None:
    (notes / "network/vpn.md").write_text("# VPN\n\nNew.\n", encoding="utf-8")
    app = ask(open_app(notes, read_only=True))
    keys = {widget.key for widget in (*app.button, *app.selectbox, *app.segmented_control)}
    assert shell.BUILD_INDEX not in keys
    assert query.JUDGE_SET not in keys
    assert block_key("judge", "billing/refund.md") not in keys
    assert "changed since the index was built" in text_of(app)


def test_a_missing_index_is_built_from_the_page(tmp_path: Path, open_app: Open) -> None:
    root = write_notes(tmp_path / "base")
    (root / "knowledge.toml").write_text('[embedding]\nmodel = "hash:256"\n', encoding="utf-8")
    app = ask(open_app(root))
    assert "There is no index yet" in text_of(app)
    assert "billing/refund.md" in text_of(app)
    app.button(shell.BUILD_INDEX).click().run()
    assert "There is no index yet" not in text_of(app)
    assert "L1 answered" in text_of(app)


def test_an_empty_knowledge_base_says_so(tmp_path: Path, open_app: Open) -> None:
    app = ask(open_app(tmp_path))
    assert "holds no note" in " ".join(w.value for w in app.warning)
    assert not app.exception


def test_a_broken_database_costs_a_warning_not_the_answer(notes: Path, open_app: Open) -> None:
    (notes / ".lookup-knowledge" / "records.sqlite3").write_bytes(b"no database" * 100)
    app = ask(open_app(notes))
    assert "billing/refund.md" in text_of(app)
    assert app.warning
    assert not app.exception


@pytest.mark.parametrize("text", ["?!", "   "])
def test_a_blank_query_asks_nothing(notes: Path, open_app: Open, text: str) -> None:
    app = ask(open_app(notes), text)
    assert records(notes) == 0
    assert not app.exception


def test_odd_and_equal_titles_do_not_break_the_page(notes: Path, open_app: Open) -> None:
    for name in ("a b'\"`.md", "$x_y_$.md", ":red[z].md"):
        text = '---\ntitle: "Same *title* $1 $2 :smile: <b>"\nkeywords: [odd]\n---\nodd text\n'
        (notes / name).write_text(text, encoding="utf-8")
    app = open_app(notes).run()
    app.button(shell.BUILD_INDEX).click().run()
    app.text_input(query.TEXT).input("odd").run()
    assert not app.exception
    assert text_of(app).count("Same *title* $1 $2 :smile: <b>") >= 3
