"""How well the evidence supports an answer. Pure.

The confidence is a logistic function of the primary's best cosine and of how much of the query's
rarity its words cover: neither alone tells an answer from its absence.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from retrieval.text import content_words, fold
from retrieval.types import EvidenceBlock, L1Outcome, L1Status, Level, Relevance


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """confidence = σ(bias + cosine_weight · cosine + coverage_weight · coverage)."""

    bias: float
    cosine_weight: float
    coverage_weight: float
    strong: float = 0.7
    moderate: float = 0.3
    calibrated: bool = False
    """True when they come from labelled queries on this very index."""


# Logistic regression on real documentation: right primaries against wrong ones and against the
# primaries of queries asked to the wrong knowledge base. Fitted for the bundled embedder.
DEFAULT_THRESHOLDS = Thresholds(bias=-7.5, cosine_weight=9.5, coverage_weight=3.5)
_STATE: dict[L1Status, str] = {
    "disabled": "L1 is switched off",
    "empty": "L1 found nothing",
    "failed": "L1 failed",
    "timeout": "L1 took too long",
    "not_ready": "L1 has no usable index",
}
LEXICAL_CEILING = 0.5
"""Most confidence that evidence without semantic support can reach."""


def assess(
    query: str,
    blocks: Sequence[EvidenceBlock],
    l1: L1Outcome,
    *,
    semantic_floor: float,
    rarity: Callable[[str], float],
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
) -> Relevance:
    """The relevance of the blocks: `none` and confidence 0 without any.

    `semantic_support` is true only when a passage of the primary has a cosine of at least
    `semantic_floor`, from an L1 that is `ok`.
    """
    if not blocks:
        unasked = (
            ""
            if l1.status in ("ok", "empty")
            else f" Only words were searched: {_STATE[l1.status]}."
        )
        return _relevance("none", 0.0, thresholds, False, f"Nothing was found.{unasked}")
    primary = blocks[0]
    coverage = query_coverage(query, primary, rarity)
    covered = f"its words cover {coverage:.0%} of the query"
    why = _only_words(primary, l1)
    if why is not None or primary.score is None:
        reason = f"Only words support the primary ({why}); {covered}."
        return _relevance("lexical_only", LEXICAL_CEILING * coverage, thresholds, False, reason)
    supported = primary.score >= semantic_floor
    confidence = _sigmoid(
        thresholds.bias
        + thresholds.cosine_weight * primary.score
        + thresholds.coverage_weight * coverage
    )
    digits = 2 if supported else 3
    close = f"The primary's best passage has cosine {primary.score:.{digits}f}"
    if not supported:
        reason = f"{close}, below the floor of {semantic_floor:.3f}; {covered}."
        return _relevance("weak", min(confidence, LEXICAL_CEILING), thresholds, False, reason)
    level: Level = "weak"
    if confidence >= thresholds.strong:
        level = "strong"
    elif confidence >= thresholds.moderate:
        level = "moderate"
    return _relevance(level, confidence, thresholds, True, f"{close}; {covered}.")


def query_coverage(query: str, block: EvidenceBlock, rarity: Callable[[str], float]) -> float:
    """Share of the rarity of the query's words that the block's text holds (0..1)."""
    words = set(content_words(query))
    total = sum(rarity(word) for word in words)
    if not total:
        return 0.0
    held = set(content_words(" ".join((block.title, *block.breadcrumb, block.content))))
    held.update(w for r in block.hit_reasons if r.term for w in content_words(fold(r.term)))
    return sum(rarity(word) for word in words & held) / total


def _only_words(primary: EvidenceBlock, l1: L1Outcome) -> str | None:
    """Why no semantic finding stands behind the primary, or None when one may."""
    if l1.status == "ok":
        return None if primary.score is not None else "no vector was compared with it"
    return _STATE[l1.status]


def _relevance(
    level: Level, confidence: float, thresholds: Thresholds, supported: bool, reason: str
) -> Relevance:
    return Relevance(
        level=level,
        confidence=round(confidence, 4),
        calibrated=thresholds.calibrated,
        semantic_support=supported,
        reason=reason,
    )


def _sigmoid(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-value))
