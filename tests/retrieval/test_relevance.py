from typing import Any

import pytest

from retrieval.relevance import LEXICAL_CEILING, Thresholds, assess, query_coverage
from retrieval.types import EvidenceBlock, L1Outcome, L1Status, Relevance


def block(score: float | None, content: str = "the refund takes five days", **fields: Any):
    return EvidenceBlock(
        source="a.md",
        title="Refunds",
        breadcrumb=("Refunds",),
        retrieval_layer="L1",
        content=content,
        rank_score=1.0,
        score=score,
        hit_reasons=(),
        passages=(),
        **fields,
    )


def rate(
    *blocks: EvidenceBlock,
    status: L1Status = "ok",
    query: str = "refund days",
    fits: bool = True,
    overlap: float = 0.5,
    **options: Any,
) -> Relevance:
    outcome = L1Outcome(status=status, mode="hybrid", attempted=True, embedder_fits=fits)
    return assess(
        query,
        blocks,
        outcome,
        semantic_floor=0.4,
        rarity=lambda word: 1.0,
        overlap=lambda query, source: overlap,
        **options,
    )


def test_confidence_grows_with_cosine_coverage_and_overlap() -> None:
    low, middle, high = (rate(block(cosine)).confidence for cosine in (0.42, 0.6, 0.9))
    assert low < middle < high
    partly = rate(block(0.6), query="refund zebra").confidence
    assert partly < middle
    titled = rate(block(0.6), overlap=0.6).confidence
    assert middle < titled


def test_levels_follow_the_thresholds() -> None:
    flat = Thresholds(bias=0.0, cosine_weight=0.0, coverage_weight=0.0, moderate=0.5, strong=0.6)
    assert rate(block(0.5), thresholds=flat).level == "moderate"
    sure = Thresholds(bias=9.0, cosine_weight=0.0, coverage_weight=0.0, calibrated=True)
    relevance = rate(block(0.5), thresholds=sure)
    assert (relevance.level, relevance.calibrated) == ("strong", True)


@pytest.mark.parametrize("status", ["empty", "failed", "timeout", "disabled", "not_ready"])
def test_without_an_ok_l1_nothing_semantic_is_claimed(status: L1Status) -> None:
    relevance = rate(block(0.99), status=status)
    assert (relevance.level, relevance.semantic_support) == ("lexical_only", False)
    assert relevance.confidence <= LEXICAL_CEILING


@pytest.mark.parametrize(
    ("primary", "status", "supported"),
    [
        (block(0.39), "ok", False),
        (block(0.41), "ok", True),
        (block(None), "ok", False),
        (block(0.99, relaxed=True), "ok", True),
        (block(0.99, relaxed=True), "empty", False),
    ],
)
def test_support_needs_a_close_passage_of_an_l1_that_is_ok(
    primary: EvidenceBlock, status: L1Status, supported: bool
) -> None:
    assert rate(primary, status=status).semantic_support is supported


def test_words_carry_a_note_below_the_floor_to_half_confidence_at_most() -> None:
    sure = Thresholds(bias=9.0, cosine_weight=0.0, coverage_weight=0.0)
    relevance = rate(block(0.39), thresholds=sure)
    assert (relevance.level, relevance.confidence) == ("moderate", LEXICAL_CEILING)
    assert not relevance.semantic_support
    assert "below the floor of 0.400" in relevance.reason


def test_without_a_cosine_coverage_and_overlap_weigh_the_same() -> None:
    covered, titled = (
        rate(block(None), query=query, overlap=overlap).confidence
        for query, overlap in (("refund days", 0.0), ("zebra", 1.0))
    )
    assert covered == titled == LEXICAL_CEILING / 2
    assert rate(block(None), overlap=1.0).confidence == LEXICAL_CEILING


def test_a_script_that_the_embedder_does_not_know_is_told() -> None:
    relevance = rate(block(None), fits=False)
    assert (relevance.level, relevance.semantic_support) == ("lexical_only", False)
    assert "the embedder was not trained on the query's script" in relevance.reason


def test_only_the_primary_counts() -> None:
    assert not rate(block(0.2), block(0.9)).semantic_support


def test_no_block_is_no_relevance() -> None:
    relevance = rate()
    assert (relevance.level, relevance.confidence) == ("none", 0.0)


def test_coverage_is_the_share_of_rarity_that_the_text_holds() -> None:
    rarity = {"refund": 3.0, "zebra": 1.0}.__getitem__
    assert query_coverage("refund zebra", block(0.5), rarity) == 0.75
    assert query_coverage("the of", block(0.5), rarity) == 0.0
