"""The page Settings on real files."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from eval_sets.labelling import create_set, find_own_set, judge, read_judgements
from retrieval import KnowledgeBase
from retrieval.bundled import default_knowledge
from retrieval.settings import load_settings
from workbench.state import settings as keys

OpenApp = Callable[..., AppTest]


def widget(folder: Path, setting: str, number: int = 0) -> str:
    """The key of a setting's widget for the file as it is now."""
    file = folder / "knowledge.toml"
    digest = hashlib.sha256(file.read_bytes()).hexdigest() if file.exists() else "new"
    return keys.field(setting, digest, number)


def differences(app: AppTest) -> list[str]:
    """The differences on the page; values that a form cannot edit are code as well."""
    return [code.value for code in app.code if code.language == "diff"]


def html(app: AppTest) -> str:
    return "\n".join(element.proto.body for element in app.get("html"))


def test_a_change_is_shown_before_it_is_written(notes: Path, open_app: OpenApp) -> None:
    before = (notes / "knowledge.toml").read_text(encoding="utf-8")
    app = open_app(notes, "settings").run()
    assert not app.exception
    assert not differences(app)
    app.number_input(key=widget(notes, "lookup.top_k")).set_value(3).run()
    assert "+top_k = 3" in differences(app)[0]
    assert (notes / "knowledge.toml").read_text(encoding="utf-8") == before
    app.button(key=keys.APPLY).click().run()
    assert not app.exception
    assert load_settings(notes)[0].lookup.top_k == 3
    assert "was written" in app.success[0].value
    assert app.number_input(key=widget(notes, "lookup.top_k", 1)).value == 3
    assert not differences(app)


def test_an_unusable_value_is_said_at_its_field(notes: Path, open_app: OpenApp) -> None:
    app = open_app(notes, "settings").run()
    app.number_input(key=widget(notes, "lookup.top_k")).set_value(0).run()
    assert any("greater than or equal to 1" in error.value for error in app.error)
    assert app.button(key=keys.APPLY).disabled


def test_discard_starts_again_from_the_file(notes: Path, open_app: OpenApp) -> None:
    app = open_app(notes, "settings").run()
    app.number_input(key=widget(notes, "lookup.top_k")).set_value(3).run()
    app.button(key=keys.DISCARD).click().run()
    assert app.number_input(key=widget(notes, "lookup.top_k", 1)).value == 8
    assert not differences(app)


def test_a_file_that_changed_meanwhile_is_not_overwritten(notes: Path, open_app: OpenApp) -> None:
    app = open_app(notes, "settings").run()
    app.number_input(key=widget(notes, "lookup.top_k")).set_value(3).run()
    theirs = '[embedding]\nmodel = "hash:256"\n\n[lookup]\ntop_k = 6\n'
    (notes / "knowledge.toml").write_text(theirs, encoding="utf-8")
    app.button(key=keys.APPLY).click().run()
    assert any("changed since this page read it" in error.value for error in app.error)
    assert (notes / "knowledge.toml").read_text(encoding="utf-8") == theirs
    assert app.number_input(key=widget(notes, "lookup.top_k", 1)).value == 6


def test_the_environment_wins_and_the_page_says_so(
    notes: Path, open_app: OpenApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOKUP_LOOKUP__TOP_K", "12")
    app = open_app(notes, "settings").run()
    assert app.number_input(key=widget(notes, "lookup.top_k")).value == 8
    notes_of = "".join(caption.value for caption in app.caption).replace("\\", "")
    assert "LOOKUP_LOOKUP__TOP_K sets 12. What the file says has no effect" in notes_of


def test_a_first_file_says_where_the_state_goes(tmp_path: Path, open_app: OpenApp) -> None:
    (tmp_path / "a.md").write_text("# A\n\ntext\n")
    state = load_settings(tmp_path)[1].state_dir
    app = open_app(tmp_path, "settings").run()
    app.number_input(key=widget(tmp_path, "lookup.top_k")).set_value(3).run()
    assert f'+state_dir = "{state}"' in differences(app)[0]
    assert any("will be created" in caption.value for caption in app.caption)
    assert not app.warning
    app.checkbox(key=keys.KEEP_STATE).uncheck().run()
    assert "state_dir" not in differences(app)[0]
    warned = "".join(warning.value for warning in app.warning).replace("\\", "")
    assert str(tmp_path / ".lookup-knowledge") in warned
    assert str(state) in warned
    app.checkbox(key=keys.KEEP_STATE).check().run()
    app.button(key=keys.APPLY).click().run()
    assert load_settings(tmp_path)[1].state_dir == state


def judge_once(folder: Path) -> Path:
    """Labels a query as the page Query does; gives the folder of the set."""
    with KnowledgeBase.open(folder) as base:
        made = create_set("mine", base)
        judge(made, "what is A", "a.md", 2)
    return made


def test_labels_are_found_again_after_a_first_file(tmp_path: Path, open_app: OpenApp) -> None:
    (tmp_path / "a.md").write_text("# A\n\ntext\n")
    made = judge_once(tmp_path)
    app = open_app(tmp_path, "settings").run()
    app.number_input(key=widget(tmp_path, "lookup.top_k")).set_value(3).run()
    assert "labelled sets" in app.checkbox(key=keys.KEEP_STATE).label
    assert f'+sets_dir = "{made.parent}"' in differences(app)[0]
    assert not app.warning
    app.button(key=keys.APPLY).click().run()
    with KnowledgeBase.open(tmp_path) as base:
        assert find_own_set("mine", base) == made
    assert read_judgements(made, "what is A").case is not None


def test_labels_that_stay_behind_are_named(tmp_path: Path, open_app: OpenApp) -> None:
    (tmp_path / "a.md").write_text("# A\n\ntext\n")
    made = judge_once(tmp_path)
    app = open_app(tmp_path, "settings").run()
    app.number_input(key=widget(tmp_path, "lookup.top_k")).set_value(3).run()
    app.checkbox(key=keys.KEEP_STATE).uncheck().run()
    assert "sets_dir" not in differences(app)[0]
    warned = [warning.value.replace("\\", "") for warning in app.warning]
    (said,) = [text for text in warned if text.startswith("Labelled sets")]
    assert str(made.parent) in said
    assert str(tmp_path / "sets") in said


def test_bundled_notes_explain_that_there_is_nothing_to_write(
    tmp_path: Path, open_app: OpenApp
) -> None:
    app = open_app(default_knowledge(tmp_path), "settings").run()
    assert not app.exception
    assert "part of the program" in app.info[0].value
    assert not app.number_input
    assert "filter_mode" in html(app)


def test_read_only_shows_values_and_no_form(notes: Path, open_app: OpenApp) -> None:
    app = open_app(notes, "settings", read_only=True).run()
    assert "--read-only" in app.info[0].value
    assert not app.number_input
    assert "hash:256" in html(app)
