"""Judgements in a file: what is written, what stays, and what is refused."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from eval_sets.errors import SetChanged, SetError
from eval_sets.labelling import (
    exclude_source,
    grade_scale,
    judge,
    mark_no_answer,
    read_judgements,
    remove_judgement,
)
from eval_sets.loading import load_set
from eval_sets.metrics import score_row
from eval_sets.sets import bundled_sets
from retrieval.errors import EmptyQuery, InvalidInput, UnknownSource
from tests.eval_sets.samples import row, write_set

REFUND, INVOICE, TOKEN = "billing/refund.md", "billing/invoice.md", "access/token.md"
CASES = [
    {"id": "r", "query": "refund window", "relevant": {REFUND: 2}, "judged_by": "ada"},
    {"id": "n", "query": "parental leave", "expect_no_answer": True},
]
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_set(tmp_path / "small", CASES)


def _text(folder: Path) -> str:
    return (folder / "cases.jsonl").read_bytes().decode()


def test_a_new_query_becomes_a_case_with_its_provenance(folder: Path) -> None:
    before = _text(folder)
    done = judge(
        folder,
        "How long do tokens live?",
        TOKEN,
        2,
        judged_by="ada",
        note="the whole answer",
        origin="trace:3f2a",
        at=NOON,
    )
    assert _text(folder).startswith(before)
    assert done.before is None
    (case,) = [case for case in load_set(folder).cases if case.id.startswith("q-")]
    assert case == done.case
    assert (case.query, case.relevant) == ("How long do tokens live?", {TOKEN: 2})
    assert (case.origin, case.judged_by, case.note) == ("trace:3f2a", "ada", "the whole answer")
    assert case.judged_at == "2026-12-01T12:00:00+00:00"


def test_the_case_is_found_by_its_folded_query(folder: Path) -> None:
    done = judge(folder, " Refund-WINDOW ", INVOICE, 1, judged_by="bo")
    assert done.case is not None
    assert done.case.id == "r"
    assert done.case.relevant == {REFUND: 2, INVOICE: 1}
    assert done.case.judged_by == "ada, bo"
    assert len(load_set(folder).cases) == len(CASES)


def test_not_relevant_is_a_judgement_and_scores_as_one(folder: Path) -> None:
    case = judge(folder, "refund window", INVOICE, 0).case
    assert case is not None
    assert case.relevant[INVOICE] == 0
    assert TOKEN not in case.relevant
    found = score_row(row("r", INVOICE, REFUND, TOKEN), case, ["judged@3", "recall@3", "MRR"])
    assert found == {"judged@3": 2 / 3, "recall@3": 1.0, "MRR": 0.5}


def test_a_query_with_nothing_but_zeros_has_no_score(folder: Path) -> None:
    case = judge(folder, "moon bases", TOKEN, 0).case
    assert case is not None
    assert not case.judged
    assert score_row(row("x", TOKEN), case, ["nDCG@10"]) == {"nDCG@10": None}


@pytest.mark.parametrize(
    "line",
    [
        '{"query":"REFUND window","id":"x","later":[1,2],"relevant":{}}',
        '{"query": "refund window", "id": "x", "later": {"\\u00e9": 1}, "relevant": {}}\r',
        '\ufeff{"id": "x", "query": "refund window", "relevant": {}, "later": "é"}',
    ],
    ids=["compact", "escaped-crlf", "bom"],
)
def test_all_else_stays_byte_for_byte(tmp_path: Path, line: str) -> None:
    around = ['{"id": "no json', "", '  {"id":"y","query":"other","alien":"ü"}  ']
    folder = write_set(tmp_path / "set", [])
    (folder / "cases.jsonl").write_bytes("\n".join([line, *around]).encode())
    judge(folder, "refund window", REFUND, 2, judged_by="ada", at=NOON)
    written, *rest = _text(folder).split("\n")
    assert rest == around
    start = line.rstrip("}\r").removesuffix('"relevant":{}').removesuffix('"relevant": {}')
    assert written.startswith(start.split('"relevant"')[0])
    assert written.endswith("\r") == line.endswith("\r")
    assert json.loads(written.removeprefix("\ufeff"))["relevant"] == {REFUND: 2}
    compact = ":2}" in written
    assert compact == (":{}" in line)


def test_judging_and_taking_back_leaves_the_file_as_it_was(folder: Path) -> None:
    before = _text(folder)
    judge(folder, "moon bases", TOKEN, 1)
    assert _text(folder) != before
    assert remove_judgement(folder, "Moon bases", TOKEN).case is None
    assert _text(folder) == before


def test_a_file_without_a_last_line_end_gets_one(folder: Path) -> None:
    path = folder / "cases.jsonl"
    path.write_text(_text(folder).rstrip("\n"), encoding="utf-8")
    judge(folder, "moon bases", TOKEN, 1)
    assert len(load_set(folder).cases) == len(CASES) + 1


def test_what_changed_underneath_is_not_overwritten(folder: Path) -> None:
    seen = read_judgements(folder, "refund window")
    assert seen.case is not None
    judge(folder, "refund window", INVOICE, 1, token=seen.token)
    after = _text(folder)
    with pytest.raises(SetChanged, match="Read the set again"):
        judge(folder, "refund window", INVOICE, 0, token=seen.token)
    assert _text(folder) == after
    fresh = read_judgements(folder, "refund window")
    assert judge(folder, "refund window", INVOICE, 0, token=fresh.token).token != fresh.token


def test_no_answer_and_relevant_notes_exclude_each_other(folder: Path) -> None:
    with pytest.raises(InvalidInput, match="no note answers"):
        judge(folder, "parental leave", REFUND, 1)
    with pytest.raises(InvalidInput, match=REFUND):
        mark_no_answer(folder, "refund window")
    assert mark_no_answer(folder, "parental leave", False).case is not None
    assert judge(folder, "parental leave", REFUND, 1).case is not None
    remove_judgement(folder, "refund window", REFUND)
    case = mark_no_answer(folder, "refund window").case
    assert case is not None
    assert case.expect_no_answer


def test_a_source_is_excluded_and_let_in_again(folder: Path) -> None:
    case = exclude_source(folder, "refund window", REFUND).case
    assert case is not None
    assert (case.exclude, dict(case.relevant)) == ((REFUND,), {})
    with pytest.raises(InvalidInput, match="left out of the ranking"):
        judge(folder, "refund window", REFUND, 2)
    exclude_source(folder, "refund window", REFUND, False)
    assert judge(folder, "refund window", REFUND, 2).case is not None


def test_unusable_judgements_are_refused(folder: Path) -> None:
    before = _text(folder)
    with pytest.raises(UnknownSource, match=r"billing/refund\.md"):
        judge(folder, "refund window", "billing/refunds.md", 1)
    with pytest.raises(InvalidInput, match="grade"):
        judge(folder, "refund window", REFUND, 11)
    with pytest.raises(EmptyQuery):
        judge(folder, " ?! ", REFUND, 1)
    with pytest.raises(InvalidInput, match="no judgement"):
        remove_judgement(folder, "refund window", TOKEN)
    with pytest.raises(InvalidInput, match="no case"):
        remove_judgement(folder, "unheard of", TOKEN)
    with pytest.raises(InvalidInput, match="The query holds half of a character pair"):
        judge(folder, "refund \udcff", REFUND, 1)
    with pytest.raises(InvalidInput, match="The note holds half of a character pair"):
        mark_no_answer(folder, "unheard of", note="\ud83d")
    with pytest.raises(InvalidInput, match="read-only"):
        judge(bundled_sets()["starter"], "refund", "billing/refund-window.md", 1)
    assert _text(folder) == before


def test_where_several_cases_ask_the_same_one_is_named(tmp_path: Path) -> None:
    folder = write_set(
        tmp_path / "set", [{"id": "a", "query": "refund"}, {"id": "b", "query": "Refund"}]
    )
    with pytest.raises(InvalidInput, match="a, b"):
        judge(folder, "refund", REFUND, 1)
    done = judge(folder, "refund", REFUND, 1, case_id="b")
    assert done.case is not None
    assert done.case.id == "b"


def test_an_unusable_case_is_named_with_its_line(tmp_path: Path) -> None:
    line = {"id": "a", "query": "refund", "relevant": {REFUND: "high"}}
    folder = write_set(tmp_path / "set", ["", line])
    with pytest.raises(SetError, match=r"cases\.jsonl:2"):
        judge(folder, "refund", INVOICE, 1)


def test_the_scale_is_that_of_the_set(folder: Path) -> None:
    assert grade_scale(folder) == {"relevant": 2, "partly": 1, "not": 0}
    assert grade_scale(bundled_sets()["starter"])["relevant"] == 3
