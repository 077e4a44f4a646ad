import pytest

from eval_sets.rows import mean
from eval_sets.scoring import compare_all, compare_strata, mean_scores, overlap_of
from eval_sets.types import Mean
from tests.eval_sets.samples import by_id, case, failed, row

CASES = (
    case("q1", stratum="a", exclude=("x",)),
    case("q2", stratum="a"),
    case("q3", stratum="b"),
    case("q4"),
)
VALUES = {
    "one": {"MRR": {"q1": 1.0, "q2": 0.5, "q3": None, "q4": 0.0}},
    "two": {"MRR": {"q1": 1.0, "q2": 1.0, "q3": None, "q4": 0.5}},
    "three": {"MRR": {"q1": 0.0, "q2": 0.0, "q3": None, "q4": 0.0}},
}


def test_means_come_overall_and_by_stratum() -> None:
    scores = {
        (score.variant, score.stratum): score.mean
        for score in mean_scores(VALUES, CASES, seed=0, resamples=100)
    }
    assert scores["one", None] == Mean(value=0.5, n=3, of=4)
    assert scores["one", "a"] == Mean(value=0.75, n=2, of=2)
    assert scores["one", "b"] == mean([None])
    assert {stratum for _, stratum in scores} == {None, "a", "b"}


def test_a_metric_is_corrected_over_the_variants() -> None:
    found = compare_all(VALUES, "one", seed=0, resamples=100)
    assert [(c.a, c.b, c.n) for c in found] == [("one", "two", 3), ("one", "three", 3)]
    assert [c.p.value for c in found if c.p] == [0.5, 0.5]
    assert [c.p_adjusted for c in found] == [1.0, 1.0]
    single = compare_all({k: VALUES[k] for k in ("one", "two")}, "one", seed=0, resamples=100)
    assert single[0].p_adjusted is None


def test_strata_are_corrected_together_and_empty_ones_left_out() -> None:
    found = compare_strata(VALUES, "one", "MRR", CASES, seed=0, resamples=100)
    assert [(s.stratum, s.comparison.b) for s in found] == [("a", "two"), ("a", "three")]
    assert found[0].comparison.difference == pytest.approx(0.25)
    assert all(s.comparison.p_adjusted == 1.0 for s in found)


def test_overlap_leaves_out_what_is_excluded_and_what_crashed() -> None:
    rows = {
        "one": (row("q1", "x", "a", "b"), row("q2", "a"), failed("q3")),
        "two": (row("q1", "a", "b"), row("q2", "b"), row("q3", "a")),
    }
    (found,) = overlap_of(rows, by_id(*CASES))
    assert (found.a, found.b) == ("one", "two")
    assert found.rbo == Mean(value=pytest.approx(0.5), n=2, of=3)
    assert found.jaccard == Mean(value=0.5, n=2, of=3)
