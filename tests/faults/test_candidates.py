"""L1 that gives what cannot be: no note is shown for it, and L0 answers."""

import math
from collections.abc import Mapping

import pytest

from retrieval.hints import L0Index
from retrieval.lookup import View, run_lookup
from retrieval.options import LookupOptions
from retrieval.types import Candidate, Fingerprint, L1Outcome, LookupResult
from retrieval.worker import TimeLimit
from tests.builders import candidate, entry
from tests.fakes import StaticRetriever

ENTRIES = {"refund.md": entry("refund.md", "Refunds", "five days", keywords=["refund"])}
GARBAGE: Mapping[str, Candidate] = {
    "unknown-note": candidate("nowhere.md#0", cosine=0.9),
    "unknown-passage": candidate("refund.md#7", cosine=0.9),
    "cosine-nan": candidate("refund.md#0", cosine=math.nan),
    "score-nan": candidate("refund.md#0", math.nan, cosine=0.9),
    "score-infinite": candidate("refund.md#0", math.inf, cosine=0.9),
}
OPTIONS = LookupOptions(
    mode="l0+l1",
    filter_mode="auto",
    l1_mode="hybrid",
    conditions=(),
    top_k=8,
    min_score=None,
    budget=None,
    l1_timeout=5.0,
    relax_margin=0.1,
)


def look(retriever: StaticRetriever) -> LookupResult:
    view = View(
        entries=ENTRIES,
        l0=L0Index(tuple(ENTRIES.values())),
        retriever=retriever,
        unavailable=None,
        semantic_floor=0.35,
        fingerprint=Fingerprint(config="c", index="i", embedding="e"),
    )
    return run_lookup("refund", view, OPTIONS, TimeLimit())


@pytest.mark.parametrize("kind", GARBAGE)
def test_a_candidate_that_cannot_be_is_a_failure_of_l1(kind: str) -> None:
    given = (GARBAGE[kind],)
    outcome = L1Outcome(status="ok", mode="hybrid", attempted=True, candidates=given)
    result = look(StaticRetriever(outcome, found=given))
    assert (result.outcome, result.retrieval_layer, result.l1.status) == (
        "fallback",
        "L0",
        "failed",
    )
    assert result.l1.error is not None
    assert result.l1.error.code == "index_damaged"
    assert [block.source for block in result.evidence_blocks] == ["refund.md"]
    assert result.relevance.level == "lexical_only"
    assert math.isfinite(result.evidence_blocks[0].rank_score)


def test_a_candidate_of_the_notes_is_taken() -> None:
    good = (candidate("refund.md#0", cosine=0.9),)
    result = look(
        StaticRetriever(L1Outcome(status="ok", mode="hybrid", attempted=True, candidates=good))
    )
    assert (result.outcome, result.retrieval_layer) == ("evidence", "L0+L1")


def test_garbage_of_full_text_costs_only_full_text() -> None:
    empty = L1Outcome(status="empty", mode="hybrid", attempted=True)
    result = look(StaticRetriever(empty, found=(GARBAGE["score-nan"],)))
    assert (result.outcome, result.l1.extra) == ("fallback", ())
    assert result.evidence_blocks[0].rank_score < 1
