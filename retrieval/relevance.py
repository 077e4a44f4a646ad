"""How well the evidence supports an answer. Pure.

The confidence is a logistic function of three things that the primary is known by: its best cosine,
the share of the query's rarity that its text covers, and the overlap of its headlines (title with
keywords, or a heading) with the query. The first two tell a question to the wrong knowledge base.
The third tells a note about the question from its neighbours, which share its words.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from retrieval.text import content_words, fold
from retrieval.types import EvidenceBlock, L1Outcome, L1Status, Level, Relevance


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """confidence = σ(bias + cosine_weight · cosine + coverage_weight · coverage +
    overlap_weight · overlap)."""

    bias: float
    cosine_weight: float
    coverage_weight: float
    overlap_weight: float = 0.0
    strong: float = 0.7
    moderate: float = 0.25
    calibrated: bool = False
    """True when they come from labelled queries on this very index."""

    def confidence(self, cosine: float, coverage: float, overlap: float) -> float:
        """How likely the primary answers the query (0..1)."""
        return _sigmoid(
            self.bias
            + self.cosine_weight * cosine
            + self.coverage_weight * coverage
            + self.overlap_weight * overlap
        )

    def level(self, confidence: float) -> Level:
        """`strong`, `moderate` or `weak`."""
        if confidence >= self.strong:
            return "strong"
        return "moderate" if confidence >= self.moderate else "weak"


# A fit of `eval_sets.answerability` on two sets of real documentation, govuk-dev and apisix-en, for
# the bundled embedder, rounded. One on five sets separates no better on those that it has not seen:
# eval_sets/results/no_answer.json.
DEFAULT_THRESHOLDS = Thresholds(
    bias=-6.0, cosine_weight=6.3, coverage_weight=2.3, overlap_weight=2.6
)
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
    overlap: Callable[[str, str], float],
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
) -> Relevance:
    """The relevance of the blocks: `none` and confidence 0 without any.

    `semantic_support` is true only when a passage of the primary has a cosine of at least
    `semantic_floor`, from an L1 that is `ok`; without it, confidence is 0.5 at most. `rarity` is
    the idf of a word, `overlap` what a query shares with the headlines of a source (0..1).
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
    headline = overlap(query, primary.source)
    words = (
        f"its text covers {coverage:.0%} of the query's words by rarity, "
        f"its title, keywords or headings overlap by {headline:.0%}"
    )
    why = _only_words(primary, l1)
    if why is not None or primary.score is None:
        reason = f"Only words support the primary ({why}); {words}."
        confidence = LEXICAL_CEILING * (coverage + headline) / 2
        return _relevance("lexical_only", confidence, thresholds, False, reason)
    supported = primary.score >= semantic_floor
    confidence = thresholds.confidence(primary.score, coverage, headline)
    digits = 2 if supported else 3
    close = f"The primary's best passage has cosine {primary.score:.{digits}f}"
    if not supported:
        confidence = min(confidence, LEXICAL_CEILING)
        close += f", below the floor of {semantic_floor:.3f}"
    level = thresholds.level(confidence)
    return _relevance(level, confidence, thresholds, supported, f"{close}; {words}.")


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
    if not l1.embedder_fits:
        return "the embedder was not trained on the query's script"
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
