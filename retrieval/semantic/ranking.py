"""The best of many scores. Pure."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def rank_best(scores: NDArray[np.floating[Any]], limit: int) -> NDArray[np.intp]:
    """Positions of the `limit` highest scores, highest first; equal scores in their own order."""
    if limit < 1:
        return np.zeros(0, dtype=np.intp)
    if limit >= len(scores):
        return np.argsort(-scores, kind="stable")
    # Whatever equals the last score that is wanted takes part, so that order decides among equals.
    least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
    high = np.flatnonzero(scores >= least)
    return high[np.argsort(-scores[high], kind="stable")[:limit]]
