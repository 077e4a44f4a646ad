"""The page Traces on real records."""

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from eval_sets.labelling import create_set, read_judgements
from retrieval import KnowledgeBase, lookup_knowledge
from retrieval.records import ToolInvocation
from workbench.presenters.traces import trace_rows
from workbench.state import traces as keys

QUERY = "How do I get my money back?"
HOSTILE = "<script>alert(1)</script> $x_1$ :smile: badge"
OpenApp = Callable[..., AppTest]


@pytest.fixture
def asked(notes: Path) -> Path:
    """The small notes, of which three things were asked."""
    with KnowledgeBase.open(notes) as base:
        lookup_knowledge(QUERY, kb=base, caller="agent")
        lookup_knowledge("wifi", kb=base, caller="agent", fault="l1-raises")
        lookup_knowledge(HOSTILE, kb=base, caller="agent")
    return notes


def shown(app: AppTest) -> str:
    """Everything on the page that is text."""
    parts = [*app.markdown, *app.caption, *app.text, *app.error, *app.info, *app.warning]
    html = [element.proto.body for element in app.get("html")]
    return "\n".join([*(str(part.value) for part in parts), *html])


def queries(app: AppTest) -> list[str]:
    return list(app.dataframe[0].value["Query"]) if app.dataframe else []


def choose(app: AppTest, *rows: int) -> AppTest:
    """Selects rows of the table, as a click on their boxes does."""
    key = app.dataframe[0].key
    assert key is not None
    app.session_state[key] = {"selection": {"rows": list(rows), "columns": [], "cells": []}}
    return app.run()


def test_the_newest_lookup_stands_first(asked: Path, open_app: OpenApp) -> None:
    app = open_app(asked, "traces").run()
    assert not app.exception
    assert queries(app) == [HOSTILE, "wifi", QUERY]
    assert "3 recorded lookups" in shown(app)


def test_filters_narrow_the_list(asked: Path, open_app: OpenApp) -> None:
    app = open_app(asked, "traces").run()
    assert queries(app.selectbox(key=keys.OUTCOME).set_value("fallback").run()) == ["wifi"]
    app.selectbox(key=keys.OUTCOME).set_value("any")
    assert queries(app.text_input(key=keys.TEXT).set_value("MONEY").run()) == [QUERY]
    app.text_input(key=keys.TEXT).set_value("nothing like it").run()
    assert "No recorded lookup fits." in shown(app)


def test_one_row_opens_what_was_recorded(asked: Path, open_app: OpenApp) -> None:
    app = choose(open_app(asked, "traces").run(), 1)
    assert not app.exception
    page = shown(app)
    assert "<mark>wifi</mark>" in page
    assert "L1 (hybrid): failed, 0 passages." in page
    assert "network/wifi.md" in page
    assert any("fault l1-raises" in error.value.replace("\\", "") for error in app.error)
    assert app.query_params[keys.ID_PARAMETER]


def test_what_is_shown_is_the_record_and_not_the_note_of_today(
    asked: Path, open_app: OpenApp
) -> None:
    (asked / "network" / "wifi.md").unlink()
    page = shown(choose(open_app(asked, "traces").run(), 1))
    assert "Visitors join the guest network" in page


def test_text_of_a_query_stays_text(asked: Path, open_app: OpenApp) -> None:
    page = shown(choose(open_app(asked, "traces").run(), 0))
    assert "<script>" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; $x_1$ :smile:" in page


def test_a_link_opens_one_record(asked: Path, open_app: OpenApp) -> None:
    with KnowledgeBase.open(asked) as base:
        id = base.records().list(text="money")[0].id
    app = open_app(asked, "traces")
    app.query_params[keys.ID_PARAMETER] = id
    assert "billing/refund.md" in shown(app.run())
    app.query_params[keys.ID_PARAMETER] = "ffffffff"
    app.run()
    assert any("No record has an id" in error.value for error in app.error)


def test_a_replay_shows_what_changed(asked: Path, open_app: OpenApp) -> None:
    app = choose(open_app(asked, "traces").run(), 1)
    assert "same answer" in shown(app.button(key=keys.REPLAY).click().run())
    (asked / "network" / "wifi.md").unlink()
    with KnowledgeBase.open(asked) as base:
        base.reindex()
    page = shown(app.run())
    assert "network/wifi.md (no note any more)" in page
    assert "index changed since" in page


def test_selected_lookups_are_labelled_only_by_a_click(asked: Path, open_app: OpenApp) -> None:
    with KnowledgeBase.open(asked) as base:
        folder = create_set("mine", base)
    app = choose(open_app(asked, "traces").run(), 1, 2)
    app.button(key=keys.LABEL).click().run()
    assert not app.exception
    assert "Query 1 of 2" in shown(app)
    assert read_judgements(folder, "wifi").case is None

    app.text_input(key=keys.JUDGE_NAME).set_value("Ada").run()
    grade = next(g for g in app.button_group if "wifi.md" in str(g.key))
    grade.set_value("relevant").run()
    case = read_judgements(folder, "wifi").case
    assert case is not None
    assert dict(case.relevant) == {"network/wifi.md": 2}
    assert case.judged_by == "Ada"
    assert case.origin.startswith("trace ")

    app.button(key=keys.NEXT).click().run()
    assert "Query 2 of 2" in shown(app)
    assert read_judgements(folder, QUERY).case is None


def test_a_judgement_does_not_overwrite_someone_elses(asked: Path, open_app: OpenApp) -> None:
    with KnowledgeBase.open(asked) as base:
        folder = create_set("mine", base)
    app = choose(open_app(asked, "traces").run(), 1)
    app.button(key=keys.LABEL).click().run()
    theirs = '{"id": "x", "query": "other", "relevant": {"network/vpn.md": 1}}\n'
    (folder / "cases.jsonl").write_text(theirs, encoding="utf-8")
    grade = next(g for g in app.button_group if "wifi.md" in str(g.key))
    grade.set_value("relevant").run()
    assert any("was changed after it was read" in error.value for error in app.error)
    assert (folder / "cases.jsonl").read_text(encoding="utf-8") == theirs


def test_read_only_offers_no_labelling(asked: Path, open_app: OpenApp) -> None:
    app = choose(open_app(asked, "traces", read_only=True).run(), 0)
    assert {button.key for button in app.button} >= {keys.REPLAY}
    assert keys.LABEL not in {button.key for button in app.button}


def test_a_broken_database_is_named_and_the_rest_works(asked: Path, open_app: OpenApp) -> None:
    with KnowledgeBase.open(asked) as base:
        state = base.location.state_dir
    for file in state.glob("records.sqlite3*"):
        file.unlink()
    (state / "records.sqlite3").write_bytes(b"this is no database" * 100)
    with KnowledgeBase.open(asked) as base:
        lookup_knowledge("badge", kb=base)  # waits in the spool
    app = open_app(asked, "traces").run()
    assert not app.exception
    assert any("cannot be used" in error.value for error in app.error)
    assert any("1 recorded lookup waits" in info.value for info in app.info)


def test_a_database_of_a_newer_program_is_named(asked: Path, open_app: OpenApp) -> None:
    with KnowledgeBase.open(asked) as base:
        state = base.location.state_dir
    with sqlite3.connect(state / "records.sqlite3") as connection:
        connection.execute("UPDATE schema_version SET version = 99")
    connection.close()
    app = open_app(asked, "traces").run()
    assert any("schema version 99" in error.value.replace("\\", "") for error in app.error)


def test_a_long_list_has_pages(notes: Path, open_app: OpenApp) -> None:
    at = datetime.now(UTC) - timedelta(days=1)
    with KnowledgeBase.open(notes) as base:
        for number in range(120):
            base.records().write(
                ToolInvocation(
                    tool_name="lookup_knowledge",
                    caller="t",
                    query=f"q{number}",
                    outcome="evidence",
                    created_at=at + timedelta(seconds=number),
                )
            )
    app = open_app(notes, "traces").run()
    assert queries(app)[0] == "q119"
    assert len(queries(app)) == 50
    app.session_state[keys.PAGE] = 3
    app.run()
    assert queries(app) == [f"q{number}" for number in range(19, -1, -1)]
    assert "101–120 of 120 recorded lookups" in shown(app)


def test_a_record_of_another_version_is_shown_as_far_as_it_goes(
    notes: Path, open_app: OpenApp
) -> None:
    with KnowledgeBase.open(notes) as base:
        base.records().write(
            ToolInvocation(
                tool_name="lookup_knowledge",
                caller="t",
                query=None,
                outcome="evidence",
                retrieval_details={"l0_hints": [], "evidence_blocks": ["x", {"source": "a.md"}]},
            )
        )
    app = choose(open_app(notes, "traces").run(), 0)
    assert not app.exception
    assert "(query not recorded)" in shown(app)
    assert "a.md" in shown(app)


def test_the_columns_have_one_cell_for_each_record(asked: Path) -> None:
    from workbench.presenters.traces import clock_of

    with KnowledgeBase.open(asked) as base:
        found = base.records().list()
    rows = trace_rows(found, clock_of("Asia/Tokyo"))
    assert {len(column) for column in rows.values()} == {3}
    shifted = found[0].created_at + timedelta(hours=9)
    assert rows["Time"][0] == f"{shifted:%Y-%m-%d %H:%M:%S}"
