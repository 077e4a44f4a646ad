"""The best of many scores, and the second best of each group. Pure."""

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


def rank_second(
    scores: NDArray[np.floating[Any]], group_of: NDArray[np.intp], groups: NDArray[np.intp]
) -> NDArray[np.floating[Any]]:
    """The second highest score of each of these groups, or the only one; 0 for an empty group.

    `group_of` is the group of each score. Shape of the result: that of `groups`.
    """
    members = np.flatnonzero(np.isin(group_of, groups))
    second = np.zeros(len(groups), dtype=scores.dtype)
    if not len(members):
        return second
    members = members[np.lexsort((-scores[members], group_of[members]))]
    held, best = np.unique(group_of[members], return_index=True)
    following = np.minimum(best + 1, len(members) - 1)
    taken = np.where(group_of[members[following]] == held, following, best)
    place = np.argsort(groups, kind="stable")
    second[place[np.searchsorted(groups, held, sorter=place)]] = scores[members[taken]]
    return second
