"""The Evaluate page in Streamlit's runner."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from retrieval.errors import IndexMissing
from tests.eval_sets.lab import MODEL, labelled
from workbench.services.jobs import Job, Stopped, Tell
from workbench.state import evaluate as names


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """A knowledge base that is a labelled set itself, without an index."""
    eval_set = labelled(tmp_path / "lab")
    settings = f'root = "knowledge"\n[embedding]\nmodel = "{MODEL}"\n'
    (eval_set.folder / "knowledge.toml").write_text(settings, encoding="utf-8")
    return eval_set.folder


@pytest.fixture
def app(lab: Path, open_app: Callable[..., AppTest]) -> AppTest:
    app = open_app(lab, "evaluate").run()
    assert app.selectbox(names.SET).value == str(lab)
    app.toggle(names.FAULTS).set_value(False)
    return app.run()


def _run(app: AppTest) -> AppTest:
    """Presses the button and waits for the run that it started."""
    app.button(names.RUN).click().run()
    if names.JOB in app.session_state:
        app.session_state[names.JOB].result(60)
    return app.run()


def _shown(app: AppTest) -> str:
    html = [block.body for block in app.main if block.type == "html"]
    return "\n".join([*html, *(str(e.value) for e in (*app.caption, *app.error, *app.warning))])


def test_a_run_is_made_once_and_its_report_stays(app: AppTest) -> None:
    _run(app)
    assert not app.exception
    report = app.session_state[names.DONE].report
    assert [variant.name for variant in report.variants] == ["l0", "l0+l1"]
    assert len(report.cases) == 10
    app.run()
    assert app.session_state[names.DONE].report.created_at == report.created_at
    assert names.JOB not in app.session_state
    app.switch_page("app_pages/settings.py").run()
    app.switch_page("app_pages/evaluate.py").run()
    assert app.session_state[names.DONE].report.created_at == report.created_at
    assert app.multiselect(names.VARIANTS).value == ["l0", "l0+l1"]
    assert not app.exception


def test_each_part_of_the_report_is_drawn(app: AppTest) -> None:
    _run(app)
    for part, text in {
        "Scores": "recall@10",
        "Strata": "trap",
        "Filter": "chose a right category",
        "Fallback": "not run",
        "No answer": "AUROC",
        "Details": "Latency",
    }.items():
        app.button_group(names.SECTION).set_value(part).run()
        assert not app.exception
        shown = _shown(app) + " ".join(str(head.value) for head in app.subheader)
        assert text in shown, part


def test_a_run_can_be_cancelled_while_the_page_is_alive(app: AppTest) -> None:
    go_on = threading.Event()

    def work(tell: Tell) -> None:
        tell("l0", 3, 10)
        go_on.wait(30)
        tell("l0", 4, 10)

    job = app.session_state[names.JOB] = Job(work, ("l0",))
    app.run()
    assert app.button(names.RUN).disabled
    app.button(names.CANCEL).click().run()
    assert job.state == "stopping"
    assert app.button(names.CANCEL).disabled
    go_on.set()
    with pytest.raises(Stopped):
        job.result(30)
    app.run()
    assert "cancelled" in app.info[0].value
    assert not app.button(names.RUN).disabled
    assert names.DONE not in app.session_state


def test_a_wrong_variant_is_told_beside_the_field_and_nothing_runs(app: AppTest) -> None:
    app.session_state[names.VARIANTS] = ["l0", "l9:filter=off"]
    app.run()
    assert any("is no layer" in caption.value for caption in app.caption)
    assert app.button(names.RUN).disabled


def test_a_folder_without_a_set_is_told(app: AppTest, tmp_path: Path) -> None:
    app.selectbox(names.SET).set_value("another folder …").run()
    app.text_input(names.FOLDER).set_value(str(tmp_path)).run()
    assert any("no labelled set" in caption.value for caption in app.caption)
    assert app.button(names.RUN).disabled


def test_a_split_and_strata_without_a_query_disable_the_run(app: AppTest) -> None:
    app.multiselect(names.STRATA).set_value(["open"])
    app.button_group(names.SPLIT).set_value("test").run()
    assert app.button(names.RUN).disabled
    assert any("No query" in caption.value for caption in app.caption)


def test_a_query_opens_both_answers_with_its_grades(app: AppTest) -> None:
    _run(app)
    app.button_group(names.SECTION).set_value("Queries").run()
    assert len(app.dataframe[0].value) == 10
    app.selectbox(names.CASE).set_value("words-2").run()
    assert not app.exception
    assert "grade 3" in _shown(app)
    assert "access/badge.md" in _shown(app)
    app.multiselect(names.QUERY_STRATA).set_value(["exact"]).run()
    assert len(app.dataframe[0].value) == 2
    assert app.selectbox(names.CASE).value is None
    assert not app.exception


def test_one_variant_alone_is_reported_without_a_comparison(app: AppTest) -> None:
    app.multiselect(names.VARIANTS).set_value(["l0"]).run()
    _run(app)
    assert "one variant only" in _shown(app)
    app.button_group(names.SECTION).set_value("Queries").run()
    assert not app.exception


def test_the_run_of_a_broken_set_says_what_is_wrong(app: AppTest, lab: Path) -> None:
    cases = lab / "cases.jsonl"
    cases.write_text(cases.read_text("utf-8") + '{"id": "x"}\n', encoding="utf-8")
    app.run()
    assert "cases.jsonl:11".replace(".", "\\.") in _shown(app).replace("\\:", ":")
    assert app.button(names.RUN).disabled


def test_a_saved_report_is_compared_and_another_file_refused(
    app: AppTest, lab: Path, tmp_path: Path
) -> None:
    from eval_sets.report import save_report

    _run(app)
    save_report(app.session_state[names.DONE].report, tmp_path / "out", formats=["json"])
    app.button_group(names.SECTION).set_value("Saved report").run()
    app.text_input(names.SAVED_PATH).set_value(str(tmp_path / "out")).run()
    assert not app.error
    assert "Nothing: same set" in _shown(app)
    app.text_input(names.SAVED_PATH).set_value(str(lab / "set.yaml")).run()
    assert "is no report of an evaluation" in app.error[0].value.replace("\\", "")


def test_read_only_builds_no_index(lab: Path, open_app: Callable[..., AppTest]) -> None:
    app = open_app(lab, "evaluate", read_only=True).run()
    app.button(names.RUN).click().run()
    with pytest.raises(IndexMissing):
        app.session_state[names.JOB].result(60)
    app.run()
    assert "have no index" in app.error[0].value
    assert names.DONE not in app.session_state
