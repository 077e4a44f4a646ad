import numpy as np
import pytest

from retrieval.semantic.ranking import rank_best


@pytest.mark.parametrize("limit", [0, 1, 3, 10, 99, 100, 500])
@pytest.mark.parametrize("levels", [2, 7, 10_000])
def test_the_best_come_first_and_equal_ones_in_their_own_order(limit: int, levels: int) -> None:
    scores = np.random.default_rng(levels).integers(0, levels, 100).astype(np.float32)
    expected = sorted(range(100), key=lambda position: (-scores[position], position))
    assert rank_best(scores, limit).tolist() == expected[:limit]


def test_no_scores_have_no_best() -> None:
    assert rank_best(np.zeros(0), 5).tolist() == []
