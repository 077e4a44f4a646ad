import math

import pytest

from eval_sets.results import Report
from retrieval.errors import InvalidInput


def test_a_frame_has_a_line_for_each_row(report: Report) -> None:
    frame = report.to_frame()
    assert len(frame) == 30
    assert list(frame["variant"].unique()) == ["l0", "l1", "l0+l1"]
    line = frame[(frame["variant"] == "l0+l1") & (frame["case_id"] == "trap-1")].iloc[0]
    assert line["filter_category"] == "travel"
    assert line["first_relevant_rank"] == 1
    assert line["relaxed"] == 1
    assert line["nDCG@10"] == 1.0
    assert line["stratum"] == "trap"
    empty = frame[(frame["variant"] == "l0") & (frame["case_id"] == "none-1")].iloc[0]
    assert math.isnan(empty["nDCG@10"])
    assert empty["status"] == "zero_result"
    means = frame.groupby("variant")["nDCG@10"].mean()
    for variant in report.variants:
        assert means[variant.name] == pytest.approx(
            report.score(variant.name, "nDCG@10").mean.value
        )


def test_queries_stand_by_variants(report: Report) -> None:
    frame = report.per_query()
    assert list(frame.columns) == ["stratum", "query", "l0", "l1", "l0+l1"]
    assert frame.index.name == "case_id"
    assert frame.loc["words-1", ["l0", "l1"]].tolist() == [0.0, 1.0]
    assert math.isnan(frame.loc["open-1", "l0"])
    recall = report.per_query("recall@10")
    assert recall.loc["words-2", "l1"] == 1.0


def test_an_unknown_metric_is_refused(report: Report) -> None:
    with pytest.raises(InvalidInput, match="'nDCG@7'"):
        report.per_query("nDCG@7")


def test_cases_and_strata_are_at_hand(report: Report) -> None:
    assert report.strata == ("exact", "words", "trap", "none", "open")
    assert report.cases_by_id["open-1"].query == "what about elevators"
