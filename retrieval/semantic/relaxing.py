"""Which hits outside the derived category come in past the filter, in `auto`. Pure.

A wrong category hides the right note in one of two ways: another passage is as close in meaning, or
another one holds the words. So there are two ways in.
"""

from collections.abc import Mapping, Set

from retrieval.types import L1Request

WORDS_PER_COSINE = 2.0
"""BM25 by which a hit may trail, as a share of the best inside, for each unit of `relax_margin`."""


def relax_near(
    unfiltered: Mapping[str, float], inside: Mapping[str, float], request: L1Request
) -> dict[str, float]:
    """The hits of `unfiltered` whose cosine passes the floor and is within the margin of the best
    one of `inside`. Hits inside are not taken out.

    Where the caller named categories, all of them are wanted, and the floor is enough.
    """
    named = any(c.key == "category" and c.op in ("eq", "in") for c in request.decision.conditions)
    best = max(inside.values(), default=None)
    least = request.semantic_floor
    if best is not None and not named:
        least = max(least, best - request.relax_margin)
    return {pid: cosine for pid, cosine in unfiltered.items() if cosine >= least}


def relax_worded(best_bm25: Mapping[str, float], outside: Set[str], request: L1Request) -> set[str]:
    """The notes of `outside` whose best passage holds the query's words nearly as well as the best
    one inside.

    `best_bm25` is by note. When nothing inside holds a word, the best note outside is the measure.
    """
    inside = [score for source, score in best_bm25.items() if source not in outside]
    best = max(inside or best_bm25.values(), default=0.0)
    least = best * max(0.0, 1 - WORDS_PER_COSINE * request.relax_margin)
    return {source for source in outside if best_bm25[source] >= least}
