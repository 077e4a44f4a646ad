from dataclasses import replace
from pathlib import Path

from eval_sets.calibrating import CalibrationReport
from eval_sets.calibration import Calibration
from eval_sets.contract import no_answer_metrics
from eval_sets.report import build_calibration, calibration_to_json, to_markdown
from retrieval.relevance import Thresholds
from tests.eval_sets.samples import by_id, case, relevance, row

CASES = by_id(case("yes", relevant={"a": 1}), case("no", expect_no_answer=True))
REPORT = CalibrationReport(
    is_worse=False,
    set_name="small",
    set_digest="abc",
    calibration=Calibration(
        thresholds=Thresholds(bias=-2.0, cosine_weight=5.0, coverage_weight=1.5, calibrated=True),
        semantic_floor=0.31,
        answerable=40,
        unanswerable=20,
        skipped=3,
        auroc=0.9,
    ),
    before=no_answer_metrics(
        [row("yes", "a", relevance=relevance(0.2)), row("no", "a", relevance=relevance(0.2))],
        CASES,
    ),
    after=no_answer_metrics(
        [
            row("yes", "a", relevance=relevance(0.9, "strong")),
            row("no", "a", relevance=relevance(0.1)),
        ],
        CASES,
    ),
    path=Path("state/calibration.json"),
    index="1ndex",
    embedding="3mbed",
    seed=0,
)


def test_thresholds_and_what_they_do_stand_side_by_side() -> None:
    text = to_markdown(build_calibration(REPORT))
    assert "From 40 queries with an answer and 20 without one; 3 could not be used." in text
    assert "| semantic floor (cosine) | 0.310 |" in text
    assert "| before | 0.500 | – | 0.000 (n=1) | 1.000 (n=1) | 0.000 (n=1) |" in text
    assert "| calibrated | 1.000 | – | 0.000 (n=1) | 0.000 (n=1) | 0.000 (n=1) |" in text
    assert "Stored in state/calibration.json." in text
    assert "Not stored." in to_markdown(build_calibration(replace(REPORT, path=None)))


def test_the_json_has_every_figure() -> None:
    data = calibration_to_json(REPORT)
    assert data["calibration"]["thresholds"]["cosine_weight"] == 5.0
    assert data["path"] == "state/calibration.json"
    assert data["after"]["auroc"] == 1.0


def test_a_calibration_that_separates_worse_says_that_it_is_not_stored() -> None:
    document = build_calibration(replace(REPORT, path=None, is_worse=True))
    assert "separate worse" in str(document)
