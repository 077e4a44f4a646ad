"""How alike two rankings are, without any label."""

from collections.abc import Sequence

from eval_sets.metrics import distinct
from retrieval.errors import InvalidInput


def jaccard(a: Sequence[str], b: Sequence[str], k: int | None = None) -> float:
    """Shared sources of the first k of both, as a share of all of them; 1.0 for two empty ones."""
    first, second = set(distinct(a)[:k]), set(distinct(b)[:k])
    union = first | second
    return len(first & second) / len(union) if union else 1.0


def rank_biased_overlap(a: Sequence[str], b: Sequence[str], p: float = 0.9) -> float:
    """Extrapolated rank-biased overlap, 0..1: agreement of two rankings, heaviest at the top.

    `p` is the chance that a reader goes on to the next rank; 0.9 puts 86 % of the weight on the
    first ten. Formula 32 of Webber, Moffat & Zobel, "A similarity measure for indefinite
    rankings", ACM TOIS 28(4), 2010, which also takes rankings of unequal length. Two empty
    rankings give 1.0, one empty ranking 0.0. Raises `InvalidInput` unless 0 < p < 1.
    """
    if not 0 < p < 1:
        raise InvalidInput(f"p is {p}, but must lie between 0 and 1.", next_action="Try 0.9.")
    short, long = sorted((distinct(a), distinct(b)), key=len)
    if not short:
        return float(not long)
    s, length = len(short), len(long)
    seen_short: set[str] = set()
    seen_long: set[str] = set()
    overlap = overlap_at_s = 0
    total = 0.0
    for depth, source in enumerate(long, start=1):
        seen_long.add(source)
        overlap += source in seen_short
        if depth <= s:
            other = short[depth - 1]
            seen_short.add(other)
            overlap += other in seen_long
            overlap_at_s = overlap
        total += overlap / depth * p**depth
        if depth > s:
            total += overlap_at_s * (depth - s) / (s * depth) * p**depth
    tail = (overlap - overlap_at_s) / length + overlap_at_s / s
    return (1 - p) / p * total + tail * p**length
