import numpy as np
import pytest

from retrieval.semantic.ranking import rank_best, rank_second


@pytest.mark.parametrize("limit", [0, 1, 3, 10, 99, 100, 500])
@pytest.mark.parametrize("levels", [2, 7, 10_000])
def test_the_best_come_first_and_equal_ones_in_their_own_order(limit: int, levels: int) -> None:
    scores = np.random.default_rng(levels).integers(0, levels, 100).astype(np.float32)
    expected = sorted(range(100), key=lambda position: (-scores[position], position))
    assert rank_best(scores, limit).tolist() == expected[:limit]


def test_no_scores_have_no_best() -> None:
    assert rank_best(np.zeros(0), 5).tolist() == []


def test_the_second_best_of_a_group_or_its_only_one() -> None:
    scores = np.array([1.0, 5.0, 3.0, 2.0, 0.0, 4.0])
    groups = np.array([0, 0, 0, 1, 2, 2])
    asked = np.array([2, 0, 1, 7])
    assert rank_second(scores, groups, asked).tolist() == [0.0, 3.0, 2.0, 0.0]
    assert rank_second(scores, groups, np.array([], dtype=np.intp)).tolist() == []
