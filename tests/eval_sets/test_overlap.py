import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_sets.overlap import jaccard, rank_biased_overlap
from retrieval.errors import InvalidInput

rankings = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)


def _by_agreement(a: list[str], b: list[str], p: float) -> float:
    """The sum of (1 - p) p^(d - 1) A_d, with the agreement that the paper assumes beyond the end.

    The short list is taken to go on agreeing as it did at its end, and so are both beyond the
    long one.
    """
    short, long = sorted((a, b), key=len)
    s, length = len(short), len(long)
    at_s = len(set(short) & set(long[:s]))
    total = 0.0
    for d in range(1, 2000):
        shared = len(set(short[:d]) & set(long[:d]))
        if d <= s:
            agreement = shared / d
        elif d <= length:
            agreement = (shared + at_s * (d - s) / s) / d
        else:
            agreement = (len(set(short) & set(long)) - at_s) / length + at_s / s
        total += (1 - p) * p ** (d - 1) * agreement
    return total


@given(a=rankings.filter(bool), b=rankings.filter(bool), p=st.sampled_from([0.5, 0.9, 0.98]))
def test_rank_biased_overlap_is_the_sum_that_it_stands_for(
    a: list[str], b: list[str], p: float
) -> None:
    assert rank_biased_overlap(a, b, p) == pytest.approx(_by_agreement(a, b, p), abs=1e-9)
    assert rank_biased_overlap(a, b, p) == rank_biased_overlap(b, a, p)


def test_rank_biased_overlap_by_hand() -> None:
    # Published for p = 0.9 in several implementations of the same formula.
    assert rank_biased_overlap("abcde", "bcdae") == pytest.approx(0.828, abs=5e-4)
    assert rank_biased_overlap("abc", "abc") == pytest.approx(1.0)
    assert rank_biased_overlap("abc", "xyz") == 0.0
    # One shared item of one, at rank 2 of the other: (1-p)/p · p²/2 + p²/2 · ... by the formula.
    assert rank_biased_overlap("a", "ba", 0.5) == pytest.approx(0.25)


def test_overlap_of_empty_rankings() -> None:
    assert rank_biased_overlap([], []) == 1.0
    assert rank_biased_overlap(["a"], []) == 0.0
    assert jaccard([], []) == 1.0
    assert jaccard(["a"], []) == 0.0


def test_jaccard_looks_at_distinct_sources_of_the_first_k() -> None:
    assert jaccard(["a", "a", "b"], ["b", "c"], 2) == 1 / 3
    assert jaccard(["a", "b"], ["b", "a"]) == 1.0
    assert jaccard(["a", "b"], ["b", "a"], 1) == 0.0


@pytest.mark.parametrize("p", [0.0, 1.0, -0.1])
def test_p_lies_between_zero_and_one(p: float) -> None:
    with pytest.raises(InvalidInput, match="between 0 and 1"):
        rank_biased_overlap("a", "a", p)
