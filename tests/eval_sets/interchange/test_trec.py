import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_sets.errors import SetError
from eval_sets.interchange import read_qrels, read_run, write_qrels, write_run
from eval_sets.interchange.trec import decode, encode
from eval_sets.metrics import mean_score
from tests.eval_sets.samples import by_id, case, failed, row

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import ir_measures

NAMES = ["a b.md", "100%.md", "账号/登录 令牌.md", "tab\there", "wide\u3000blank", "c%20d"]
CASES = by_id(
    case("q 1", relevant={NAMES[0]: 3, NAMES[1]: 0}, exclude=(NAMES[2],)),
    case("q2", relevant={NAMES[3]: 1, NAMES[4]: 2}),
    case("q3", relevant={NAMES[5]: 1}),
    case("q4", expect_no_answer=True),
)


def test_qrels_come_back() -> None:
    text = write_qrels(CASES.values())
    assert text.split("\n")[:2] == ["q%201 0 a%20b.md 3", "q%201 0 100%25.md 0"]
    assert read_qrels(text) == {q: dict(c.relevant) for q, c in CASES.items() if c.relevant}


def test_runs_come_back_in_order_without_excluded_and_repeated_sources() -> None:
    rows = [
        row("q 1", NAMES[2], NAMES[1], NAMES[0], NAMES[1]),
        row("q2", NAMES[4], NAMES[3], NAMES[5]),
        row("q3"),
        failed("q4"),
    ]
    text = write_run(rows, CASES, tag="l0 + l1")
    assert text.split("\n")[0] == "q%201 Q0 100%25.md 1 2 l0%20+%20l1"
    assert read_run(text) == {
        "q 1": ((NAMES[1], 2.0), (NAMES[0], 1.0)),
        "q2": ((NAMES[4], 3.0), (NAMES[3], 2.0), (NAMES[5], 1.0)),
    }


def test_other_tools_get_the_same_scores_from_the_files() -> None:
    rows = [row("q 1", NAMES[2], NAMES[1], NAMES[0]), row("q2", NAMES[5], NAMES[4]), row("q3")]
    qrels = list(ir_measures.read_trec_qrels(write_qrels(CASES.values())))
    run = list(ir_measures.read_trec_run(write_run(rows, CASES, tag="v")))
    theirs = ir_measures.calc_aggregate([ir_measures.nDCG @ 10, ir_measures.RR], qrels, run)
    ours = mean_score(rows, CASES, "nDCG@10")
    assert (ours.n, ours.value) == (3, pytest.approx(theirs[ir_measures.nDCG @ 10]))
    assert mean_score(rows, CASES, "MRR").value == pytest.approx(theirs[ir_measures.RR])


@given(st.text(min_size=1))
def test_ids_have_no_blanks_and_come_back(identifier: str) -> None:
    assert encode(identifier).split() == [encode(identifier)]
    assert decode(encode(identifier)) == identifier


def test_ties_are_read_in_the_order_of_trec_eval() -> None:
    text = "q Q0 a 9 1.5 t\nq Q0 c 2 1.5 t\r\nq Q0 b 1 2e0 t\n\n"
    assert [source for source, _ in read_run(text)["q"]] == ["b", "c", "a"]


def test_negative_grades_are_not_relevant() -> None:
    assert read_qrels("q 0 a -2\nq 0 b +1\n") == {"q": {"a": 0, "b": 1}}


def test_bad_lines_are_told_at_once() -> None:
    with pytest.raises(SetError) as caught:
        read_qrels("q 0 a\nq 0 a 1.5\nq 0 b 1\nq 0 b 2\n", name="x.qrels")
    assert [str(problem) for problem in caught.value.problems] == [
        "x.qrels:1: 3 columns, not 4",
        "x.qrels:2: the grade '1.5' is no whole number",
        "x.qrels:4: 'b' is judged twice for query 'q'",
    ]
    with pytest.raises(SetError) as caught:
        read_run("q Q0 a 1 high t\nq Q0 b 1 nan t\nq Q0 c 1 2 t\nq Q0 c 2 1 t\nq c\n")
    assert [str(problem) for problem in caught.value.problems] == [
        "run:1: the score 'high' is no number",
        "run:2: the score 'nan' is no number",
        "run:4: 'c' is there twice for query 'q'",
        "run:5: 2 columns, not 6",
    ]
