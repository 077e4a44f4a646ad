import pytest

from eval_sets.ablation.baselines import (
    Lists,
    best_by_note,
    rank_bm25,
    rank_dense,
    rank_minmax,
    rank_rrf,
)

LISTS = Lists(dense={"a": 0.9, "b": 0.8, "c": 0.1}, bm25={"b": 6.0, "d": 5.0, "a": 1.0})


def test_each_list_ranks_by_its_own_score() -> None:
    assert rank_dense(LISTS) == ["a", "b", "c"]
    assert rank_bm25(LISTS) == ["b", "d", "a"]


def test_rrf_adds_reciprocal_ranks() -> None:
    # a: 1/61 + 1/63, b: 1/62 + 1/61, c: 1/63, d: 1/62
    assert rank_rrf(LISTS) == ["b", "a", "d", "c"]


def test_minmax_adds_scaled_scores() -> None:
    # a: 1 + 0, b: .875 + 1, c: 0, d: .8
    assert rank_minmax(LISTS) == ["b", "a", "d", "c"]
    equal = Lists(dense={"a": 0.5, "b": 0.5}, bm25={"b": 1.0})
    assert rank_minmax(equal) == ["b", "a"]


@pytest.mark.parametrize("rank", [rank_dense, rank_bm25, rank_rrf, rank_minmax])
def test_nothing_found_is_an_empty_ranking(rank) -> None:
    assert rank(Lists(dense={}, bm25={})) == []


def test_a_note_has_the_score_of_its_best_passage() -> None:
    passages = [("a#0", -0.2), ("a#1", -0.1), ("b#0", 0.4)]
    source_of = {"a#0": "a", "a#1": "a", "b#0": "b"}
    assert best_by_note(passages, source_of) == {"a": -0.1, "b": 0.4}
