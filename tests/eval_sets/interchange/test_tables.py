import sys

import pytest

from eval_sets.errors import SetError
from eval_sets.interchange import (
    cases_from_csv,
    cases_from_frame,
    cases_to_csv,
    cases_to_frame,
    rows_to_frame,
)
from retrieval.errors import MissingExtra
from tests.eval_sets.samples import block, by_id, case, failed, filtered, relevance, row

CASES = (
    case("q1", query='say "hi", twice\nand 密钥', relevant={"a, b.md": 2, 'c".md': 0}),
    case(
        "q2",
        exclude=("x.md", "y.md"),
        stratum="no_answer",
        split="dev",
        expected_category="true",
        expect_filter="none",
        expect_no_answer=True,
        note="1.0",
    ),
    case("q3"),
)


def test_csv_comes_back() -> None:
    text = cases_to_csv(CASES)
    assert text.split("\n")[0].startswith("id,query,relevant,exclude,stratum,split,")
    assert cases_from_csv(text) == CASES
    assert cases_from_csv(cases_to_csv([])) == ()


def test_a_spreadsheet_may_save_the_csv() -> None:
    text = "\ufeffid,query,expect_no_answer\r\nq1,refund,\r\nq2,weather,TRUE\r\n"
    assert cases_from_csv(text) == (
        case("q1", query="refund"),
        case("q2", query="weather", expect_no_answer=True),
    )


def test_bad_lines_of_a_csv_are_told_at_once() -> None:
    text = "id,query,relevant,weight\nq1,x,{,\nq2,?,,\nq3,x,,2\nq4,x,,\nq4,y,,\nq5,x,,,9\n"
    with pytest.raises(SetError) as caught:
        cases_from_csv(text)
    assert [str(problem) for problem in caught.value.problems] == [
        "cases.csv:2: relevant: no JSON: Expecting property name enclosed in double quotes",
        "cases.csv:3: query: the query is empty: it holds no letter or digit",
        "cases.csv:4: unknown field 'weight'",
        "cases.csv:6: the id 'q4' is there already",
        "cases.csv:7: unknown field '(no column)'",
    ]


def test_frames_come_back() -> None:
    frame = cases_to_frame(CASES)
    assert list(frame["id"]) == ["q1", "q2", "q3"]
    assert frame["relevant"][0] == {"a, b.md": 2, 'c".md': 0}
    assert cases_from_frame(frame) == CASES
    assert cases_from_frame(cases_to_frame([])) == ()


def test_bad_records_of_a_frame_are_told_by_number() -> None:
    frame = cases_to_frame(CASES)
    frame.loc[1, "split"] = "train"
    with pytest.raises(SetError, match="frame:2: split: Input should be 'dev' or 'test'"):
        cases_from_frame(frame)


def test_rows_become_a_frame_with_a_column_for_each_metric() -> None:
    cases = by_id(case("q1", relevant={"a": 1}, stratum="exact"), case("q2"))
    rows = [
        row(
            "q1",
            block("b", "L0+L1"),
            "a",
            filter=filtered("billing"),
            relevance=relevance(0.8, "strong"),
            latency_ms=2.5,
        ),
        failed("q2"),
    ]
    frame = rows_to_frame(rows, cases, ["MRR", "hit@1"])
    first, second = frame.to_dict("records")
    assert first["MRR"] == 0.5
    assert first["hit@1"] == 0.0
    assert (first["blocks"], first["first"], first["stratum"]) == (2, "b", "exact")
    assert (first["filter_category"], first["level"], first["latency_ms"]) == (
        "billing",
        "strong",
        2.5,
    )
    assert second["status"] == "failed"
    assert frame["MRR"].count() == 1


def test_a_missing_pandas_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra, match=r"pip install 'knowledge-lookup-workbench\[eval\]'"):
        cases_to_frame(CASES)
