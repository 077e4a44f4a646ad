import io
import json
from pathlib import Path

import pandas as pd
import pytest

from eval_sets.report import (
    Gate,
    load_report,
    render,
    report_from_json,
    report_to_csv,
    report_to_json,
    save_report,
)
from retrieval.errors import InvalidInput
from tests.eval_sets.report.samples import METRICS, sample_report
from tests.eval_sets.samples import case

GATE = Gate(baseline="b.json", tolerance=0.01, regressions=())


def test_a_report_comes_back_from_json_as_it_was() -> None:
    report = sample_report()
    assert report_from_json(render(report, "json")) == report
    assert report_from_json(json.dumps(report_to_json(report, gate=GATE))) == report


def test_every_format_has_a_file(tmp_path: Path) -> None:
    written = save_report(sample_report(), tmp_path / "out")
    assert [path.name for path in written] == [
        "report.json",
        "rows.csv",
        "report.md",
        "report.html",
    ]
    assert load_report(tmp_path / "out") == load_report(written[0]) == sample_report()


def test_csv_has_a_line_for_each_row_and_empty_cells_for_missing_scores() -> None:
    report = sample_report()
    frame = pd.read_csv(io.StringIO(report_to_csv(report)))
    assert len(frame) == len(report.rows)
    first = frame.iloc[0]
    assert first[METRICS[0]] == report.values["l0"][METRICS[0]]["q0"]
    assert pd.isna(frame.iloc[1][METRICS[0]])
    assert "\nq2,query 2,exact,test,l0,evaluated,,,a/one.md,1,1,ok," in report_to_csv(report)


def test_a_formula_is_text_in_a_spreadsheet() -> None:
    report = sample_report()
    cases = (case("q0", query="=HYPERLINK(1)", stratum="exact"), *report.cases[1:])
    text = report_to_csv(sample_report(cases=cases))
    assert "\nq0,'=HYPERLINK(1),exact" in text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "report: Field required"),
        ("no json", "Invalid JSON"),
        ('{"schema_version": "2", "report": {}}', "schema_version"),
    ],
)
def test_what_is_no_report_is_refused_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput, match=said):
        load_report(path)


def test_a_missing_file_is_refused_with_what_writes_one(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="eval run SET --out DIR"):
        load_report(tmp_path / "none.json")
