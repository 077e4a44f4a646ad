import math
import warnings
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_sets.interchange.trec import by_score
from eval_sets.metrics import (
    average_precision,
    depth,
    distinct,
    hit,
    judged,
    mean_score,
    measure,
    ndcg,
    precision,
    recall,
    reciprocal_rank,
    score_row,
)
from eval_sets.types import Mean
from retrieval.errors import InvalidInput
from tests.eval_sets.samples import by_id, case, failed, row

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import ir_measures

DOCUMENTS = [f"d{number}" for number in range(8)]
EQUAL = {
    "nDCG@3": ir_measures.nDCG @ 3,
    "nDCG@10": ir_measures.nDCG @ 10,
    "nDCG": ir_measures.nDCG,
    "recall@2": ir_measures.R @ 2,
    "recall@10": ir_measures.R @ 10,
    "precision@1": ir_measures.P @ 1,
    "precision@5": ir_measures.P @ 5,
    "MRR": ir_measures.RR,
    "MAP": ir_measures.AP,
    "MAP@3": ir_measures.AP @ 3,
    "hit@1": ir_measures.Success @ 1,
    "hit@5": ir_measures.Success @ 5,
}
UNTIED = {"MRR@3": ir_measures.RR @ 3}

qrels_of_query = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 3), max_size=6)
# Few distinct scores, so that ties are common; lists may be empty or shorter than k.
run_of_query = st.dictionaries(
    st.sampled_from([*DOCUMENTS, "unjudged1", "unjudged2"]),
    st.sampled_from([0.0, 0.5, 1.0, 2.0]),
    max_size=9,
)


@given(
    qrels=st.lists(qrels_of_query, min_size=1, max_size=4),
    runs=st.lists(run_of_query, min_size=4, max_size=4),
)
def test_scores_equal_ir_measures(
    qrels: list[dict[str, int]], runs: list[dict[str, float]]
) -> None:
    labels = {f"q{number}": grades for number, grades in enumerate(qrels) if grades}
    run = {query: runs[number] for number, query in enumerate(labels)}
    retrieved = {query: results for query, results in run.items() if results}
    if not labels or not retrieved:
        return
    # Not trec_eval computes RR@k there, and it breaks ties another way: give it none.
    untied = {
        query: {source: -float(place) for place, (source, _) in enumerate(by_score(results))}
        for query, results in retrieved.items()
    }
    expected: dict[tuple[str, str], float] = {
        (metric.query_id, str(metric.measure)): metric.value
        for metric in (
            *ir_measures.iter_calc(list(EQUAL.values()), labels, retrieved),
            *ir_measures.iter_calc([UNTIED["MRR@3"]], labels, untied),
        )
    }
    for query, grades in labels.items():
        ranking = [source for source, _ in by_score(run[query])]
        for name, foreign in (EQUAL | UNTIED).items():
            score = measure(name)(ranking, grades)
            # ir_measures scores a query without a relevant note as 0; here it has no score.
            known = any(grades.values())
            assert (score is None) == (not known)
            assert (score or 0.0) == pytest.approx(expected.get((query, str(foreign)), 0.0))


@given(qrels=qrels_of_query, run=run_of_query, data=st.data())
def test_a_repeated_source_counts_at_its_first_position(
    qrels: Mapping[str, int], run: Mapping[str, float], data: st.DataObject
) -> None:
    once = [source for source, _ in by_score(run)]
    repeated = list(once)
    for source in data.draw(st.lists(st.sampled_from(once or [""]), max_size=4)):
        if source:
            position = data.draw(st.integers(once.index(source) + 1, len(repeated)))
            repeated.insert(max(position, repeated.index(source) + 1), source)
    for name in (*EQUAL, "judged@5"):
        assert measure(name)(repeated, qrels) == measure(name)(once, qrels)


def test_judged_share_equals_ir_measures() -> None:
    grades = {"a": 0, "b": 2}
    ranking = ["x", "a", "b", "y", "z"]
    run = {"q": {source: float(-place) for place, source in enumerate(ranking)}}
    for k in (1, 2, 4, 10):
        expected = ir_measures.calc_aggregate([ir_measures.Judged @ k], {"q": grades}, run)
        assert judged(ranking, grades, k) == expected[ir_measures.Judged @ k]
    assert judged(ranking, grades) == 2 / 5


def test_judged_share_of_nothing_is_no_number() -> None:
    assert judged([], {"a": 1}, 5) is None
    assert judged(["a"], {}, 5) is None


def test_scores_by_hand() -> None:
    grades = {"a": 3, "b": 1, "c": 0}
    ranking = ["x", "b", "c", "a"]
    ideal = 3 + 1 / math.log2(3)
    assert ndcg(ranking, grades, 10) == pytest.approx((1 / math.log2(3) + 3 / math.log2(5)) / ideal)
    assert ndcg(ranking, grades, 1) == 0.0
    assert recall(ranking, grades, 2) == 0.5
    assert precision(ranking, grades, 10) == 0.2
    assert precision(ranking, grades) == 0.5
    assert reciprocal_rank(ranking, grades) == 0.5
    assert reciprocal_rank(ranking, grades, 1) == 0.0
    assert average_precision(ranking, grades) == pytest.approx((1 / 2 + 2 / 4) / 2)
    assert hit(ranking, grades, 1) == 0.0
    assert hit(ranking, grades, 2) == 1.0


@pytest.mark.parametrize("name", ["nDCG@10", "recall@10", "MRR", "MAP", "hit@1", "precision@5"])
def test_missing_and_zero_are_two_values(name: str) -> None:
    assert measure(name)(["a"], {}) is None
    assert measure(name)(["a"], {"a": 0}) is None
    assert measure(name)([], {"a": 1}) == 0.0


def test_excluded_sources_leave_the_ranking_before_it_is_scored() -> None:
    assert distinct(["a", "b", "a", "c"], ["b"]) == ("a", "c")
    labelled = case(relevant={"c": 1}, exclude=("a", "b"))
    scores = score_row(row("q1", "a", "b", "c"), labelled, ["MRR", "hit@1", "precision@1"])
    assert scores == {"MRR": 1.0, "hit@1": 1.0, "precision@1": 1.0}


def test_a_failed_row_counts_as_zero_and_an_unlabelled_one_not_at_all() -> None:
    cases = by_id(
        case("found", relevant={"a": 1}),
        case("crashed", relevant={"a": 1}),
        case("empty", relevant={"a": 1}),
        case("unlabelled"),
        case("nothing", expect_no_answer=True),
    )
    rows = [
        row("found", "a"),
        failed("crashed"),
        row("empty"),
        row("unlabelled", "a"),
        row("nothing", "a"),
    ]
    assert mean_score(rows, cases, "MRR") == Mean(value=1 / 3, n=3, of=5)
    assert mean_score([], cases, "MRR") == Mean(value=None, n=0, of=0)


def test_measures_are_found_by_name() -> None:
    ranking, grades = ["x", "a"], {"a": 1}
    assert measure("NDCG@1")(ranking, grades) == 0.0
    assert measure("r@2")(ranking, grades) == measure("recall@2")(ranking, grades) == 1.0
    assert measure("rr")(ranking, grades) == 0.5
    assert depth(["nDCG@10", "recall@100"]) == 100
    assert depth(["nDCG@10", "MAP"]) is None
    assert depth([]) == 0


@pytest.mark.parametrize("name", ["", "nDCG@0", "nDCG@", "nDCG@-1", "bleu", "nDCG@1.5", "@10"])
def test_an_unknown_measure_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="no measure"):
        measure(name)
