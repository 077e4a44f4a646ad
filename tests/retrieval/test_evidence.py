from typing import Any

import pytest

from retrieval.evidence import merge_evidence
from retrieval.types import (
    Candidate,
    Counts,
    EvidenceBlock,
    L0Hints,
    L0Match,
    L1Outcome,
    L1Status,
    NearMatch,
    TermHit,
)
from tests.builders import candidate, entry

ENTRIES = {
    note.source: note
    for note in (
        entry("a.md", "A", "first part", "second part", "third part", "fourth part"),
        entry("b.md", "B", "other text about seats"),
        entry("c.md", "C", "nothing here", "seats are counted each quarter"),
    )
}


def match(source: str, score: float = 1.0) -> L0Match:
    hit = TermHit(term="seats", field="keyword", start=0, end=5)
    return L0Match(source=source, title=source, categories=(), hits=(hit,), score=score)


def near(source: str, score: float) -> NearMatch:
    return NearMatch(source=source, title=source, score=score, reason="shares 'seat'")


def l1(*candidates: Candidate, status: L1Status = "ok", **fields: Any) -> L1Outcome:
    return L1Outcome(status=status, mode="hybrid", attempted=True, candidates=candidates, **fields)


def merge(
    hints: L0Hints, outcome: L1Outcome, *, top_k: int = 8, min_score: float | None = None
) -> tuple[tuple[EvidenceBlock, ...], Counts]:
    blocks, counts = merge_evidence(
        query="seats",
        hints=hints,
        l1=outcome,
        entries=ENTRIES,
        rarity=lambda word: 1.0,
        top_k=top_k,
        min_score=min_score,
    )
    assert counts.evidence_block_count == len(blocks)
    total = len(blocks) + counts.merged + sum(counts.dropped.values())
    assert counts.candidate_count == total
    return blocks, counts


def hints(*matches: L0Match, near_matches: tuple[NearMatch, ...] = ()) -> L0Hints:
    return L0Hints(matches=matches, matches_total=len(matches), near_matches=near_matches)


def test_one_block_for_a_source_keeps_the_reasons_of_both_paths() -> None:
    found = candidate("a.md#1", cosine=0.6, dense_rank=1, fulltext_score=3.2, fulltext_rank=2)
    (block,), counts = merge(hints(match("a.md")), l1(found))
    assert block.retrieval_layer == "L0+L1"
    assert [reason.kind for reason in block.hit_reasons] == ["keyword", "semantic", "fulltext"]
    assert [reason.layer for reason in block.hit_reasons] == ["L0", "L1", "L1"]
    assert (counts.candidate_count, counts.merged) == (2, 1)


def test_a_block_lists_every_matched_passage_and_carries_the_best_three() -> None:
    found = [candidate(f"a.md#{i}", cosine=c) for i, c in ((3, 0.9), (0, 0.8), (1, 0.7), (2, 0.1))]
    (block,), _ = merge(hints(), l1(*found))
    assert block.content == "first part\n\nsecond part\n\n[…]\n\nfourth part"
    assert [(span.id, span.score) for span in block.passages] == [
        ("a.md#0", 0.8),
        ("a.md#1", 0.7),
        ("a.md#2", 0.1),
        ("a.md#3", 0.9),
    ]
    assert block.score == 0.9
    assert [span.id for span in block.passages if span.shown] == ["a.md#0", "a.md#1", "a.md#3"]


def test_a_passage_that_is_far_behind_the_best_is_listed_and_not_shown() -> None:
    found = [candidate("a.md#0", cosine=0.9), candidate("a.md#1", cosine=0.2)]
    (block,), _ = merge(hints(), l1(*found))
    assert block.content == "first part"
    assert [(span.id, span.shown) for span in block.passages] == [
        ("a.md#0", True),
        ("a.md#1", False),
    ]


def test_a_score_is_the_cosine_clipped_and_none_without_one() -> None:
    blocks, _ = merge(hints(), l1(candidate("a.md#0", cosine=-0.2), candidate("b.md#0")))
    assert {block.source: block.score for block in blocks} == {"a.md": 0.0, "b.md": None}


def test_without_l1_the_passage_that_holds_the_query_is_the_content() -> None:
    (block,), _ = merge(hints(match("c.md")), l1(status="failed"))
    assert block.content == "seats are counted each quarter"
    assert block.retrieval_layer == "L0"
    assert block.score is None


def test_near_matches_are_evidence_of_a_fallback_only() -> None:
    given = hints(near_matches=(near("b.md", 0.5), near("c.md", 0.4)))
    blocks, _ = merge(given, l1(status="empty"))
    assert [(b.source, b.retrieval_layer) for b in blocks] == [("b.md", "L0"), ("c.md", "L0")]
    blocks, counts = merge(given, l1(candidate("c.md#0", cosine=0.3)))
    assert [(b.source, b.retrieval_layer) for b in blocks] == [("c.md", "L1")]
    assert counts.candidate_count == 1


def test_a_near_match_lends_its_score_to_the_ranking() -> None:
    found = l1(candidate("a.md#0", 0.50, cosine=0.5), candidate("b.md#0", 0.45, cosine=0.45))
    assert [b.source for b in merge(hints(), found)[0]] == ["a.md", "b.md"]
    given = hints(near_matches=(near("b.md", 0.9),))
    assert [b.source for b in merge(given, found)[0]] == ["b.md", "a.md"]


def test_full_text_extends_the_fallback_as_l0() -> None:
    extra = (candidate("b.md#0", 0.3, fulltext_score=2.0, fulltext_rank=1, terms=("seat",)),)
    blocks, _ = merge(hints(match("a.md")), l1(status="failed", extra=extra))
    assert [(b.source, b.retrieval_layer) for b in blocks] == [("a.md", "L0"), ("b.md", "L0")]
    (reason,) = blocks[1].hit_reasons
    assert (reason.kind, reason.layer, reason.terms) == ("fulltext", "L0", ("seat",))


def test_a_relaxed_hit_of_an_empty_request_stands_behind_l0_and_claims_nothing() -> None:
    found = l1(
        candidate("b.md#0", 9.0, cosine=0.9, relaxed=True),
        candidate("a.md#0", 9.0, cosine=0.9, relaxed=True),
        status="empty",
    )
    blocks, _ = merge(hints(match("a.md")), found)
    assert [(b.source, b.retrieval_layer, b.relaxed) for b in blocks] == [
        ("a.md", "L0", True),
        ("b.md", "L1", True),
    ]


@pytest.mark.parametrize(("least", "sources"), [(None, 2), (0.0, 2), (0.5, 1)])
def test_min_score_drops_passages_and_counts_them(least: float | None, sources: int) -> None:
    found = l1(candidate("a.md#0", cosine=0.6), candidate("b.md#0", cosine=0.1))
    blocks, counts = merge(hints(), found, min_score=least)
    assert len(blocks) == sources
    assert counts.dropped == ({"min_score": 1} if sources == 1 else {})


def test_what_is_beyond_top_k_is_counted() -> None:
    found = l1(
        candidate("a.md#0", 1.0, cosine=0.6),
        candidate("b.md#0", 0.5, cosine=0.5),
        candidate("c.md#0", 0.2, cosine=0.2),
        candidate("c.md#1", 0.2, cosine=0.1),
    )
    blocks, counts = merge(hints(), found, top_k=1)
    assert [block.source for block in blocks] == ["a.md"]
    assert counts.dropped == {"top_k": 3}
