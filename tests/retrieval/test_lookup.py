"""The conductor with small fake retrievers; the real ones stand in test_spec.py."""

import threading
from dataclasses import replace
from typing import Any

import pytest

from retrieval.faults import Retriever
from retrieval.hints import L0Index
from retrieval.lookup import View, run_lookup
from retrieval.options import LookupOptions
from retrieval.relevance import LEXICAL_CEILING
from retrieval.types import Fingerprint, L1Outcome, LookupResult
from retrieval.worker import TimeLimit
from tests.builders import candidate, entry
from tests.fakes import FailingRetriever, SlowRetriever, StaticRetriever

ENTRIES = (
    entry("refund.md", "Refunds", "a refund takes five days", keywords=["refund"]),
    entry("badge.md", "Badges", "a badge opens doors", keywords=["badge"]),
)


def view(retriever: Retriever | None) -> View:
    return View(
        entries={e.source: e for e in ENTRIES},
        l0=L0Index(ENTRIES),
        retriever=retriever,
        unavailable=None,
        semantic_floor=0.35,
        fingerprint=Fingerprint(config="c", index="i", embedding="e"),
    )


OPTIONS: dict[str, Any] = {
    "mode": "l0+l1",
    "filter_mode": "auto",
    "l1_mode": "hybrid",
    "conditions": (),
    "top_k": 8,
    "min_score": None,
    "budget": None,
    "l1_timeout": 0.05,
    "relax_margin": 0.1,
}


def look(
    retriever: Retriever | None,
    query: str = "refund",
    limit: TimeLimit[L1Outcome] | None = None,
    **options: Any,
) -> LookupResult:
    return run_lookup(
        query, view(retriever), LookupOptions(**OPTIONS | options), limit or TimeLimit()
    )


def found(cosine: float) -> StaticRetriever:
    hit = candidate("refund.md#0", cosine=cosine, dense_rank=1)
    return StaticRetriever(L1Outcome(status="ok", mode="hybrid", attempted=True, candidates=(hit,)))


def test_both_layers_give_one_block_with_semantic_support() -> None:
    result = look(found(0.6))
    assert (result.outcome, result.retrieval_layer) == ("evidence", "L0+L1")
    assert [b.source for b in result.evidence_blocks] == ["refund.md"]
    assert result.relevance.semantic_support
    assert set(result.timings_ms) == {"l0", "l1", "merge", "total"}


def test_a_cosine_below_the_floor_is_no_semantic_support() -> None:
    relevance = look(found(0.2)).relevance
    assert not relevance.semantic_support
    assert relevance.confidence <= LEXICAL_CEILING
    assert "below the floor" in relevance.reason


def test_l1_alone_is_layer_l1() -> None:
    result = look(found(0.6), query="getting money returned")
    assert result.retrieval_layer == "L1"


def test_a_failing_l1_is_data() -> None:
    result = look(FailingRetriever(RuntimeError("disk on fire")))
    assert (result.outcome, result.retrieval_layer) == ("fallback", "L0")
    assert result.l1.status == "failed"
    assert result.l1.error is not None
    assert "disk on fire" in result.l1.error.message
    assert result.relevance.level == "lexical_only"


def test_a_late_l1_is_abandoned() -> None:
    slow = SlowRetriever()
    result = look(slow)
    slow.release.set()
    assert (result.l1.status, result.outcome) == ("timeout", "fallback")


def test_after_three_timeouts_l1_is_left_alone_for_a_while() -> None:
    now = [0.0]
    limit: TimeLimit[L1Outcome] = TimeLimit(clock=lambda: now[0])
    slow = SlowRetriever()
    for _ in range(3):
        assert look(slow, limit=limit).l1.attempted
    paused = look(slow, limit=limit)
    assert (paused.l1.status, paused.l1.attempted, slow.asked) == ("timeout", False, 3)
    assert paused.l1.error is not None
    assert paused.l1.error.code == "l1_paused"
    now[0] = 31.0
    assert look(slow, limit=limit).l1.attempted
    slow.release.set()


def test_a_fault_on_purpose_does_not_pause_the_real_l1() -> None:
    limit: TimeLimit[L1Outcome] = TimeLimit()
    for _ in range(4):
        late = look(found(0.6), limit=limit, fault="l1-timeout").l1
        assert late.status == "timeout"
        assert late.error is not None
        assert late.error.message == "L1 was made to time out, by the fault l1-timeout."
        assert late.error.next_action == "Ask without the fault."
    assert look(found(0.6), limit=limit).l1.status == "ok"


def test_without_an_index_l0_answers() -> None:
    result = look(None)
    assert (result.l1.status, result.l1.attempted) == ("not_ready", False)
    assert result.outcome == "fallback"


@pytest.mark.parametrize("options", [{"mode": "l0"}, {"fault": "l1-off"}])
def test_l1_that_was_switched_off_is_evidence_and_no_fallback(options: dict[str, str]) -> None:
    result = look(found(0.6), **options)
    assert (result.l1.status, result.outcome, result.retrieval_layer) == (
        "disabled",
        "evidence",
        "L0",
    )


def test_mode_l1_uses_no_hints() -> None:
    result = look(found(0.6), mode="l1")
    assert result.l0_hints.matches == ()
    assert result.retrieval_layer == "L1"
    assert look(FailingRetriever(OSError()), mode="l1").outcome == "no_evidence"


def test_min_score_that_leaves_nothing_makes_l1_empty() -> None:
    result = look(found(0.6), min_score=0.99)
    assert (result.l1.status, result.retrieval_layer) == ("empty", "L0")
    assert result.counts.dropped == {"min_score": 1}


@pytest.mark.parametrize("query", ["", "   ", "\n\t", "???", "\u200b\u200b", "\u3000"])
def test_a_query_without_a_word_is_refused_before_l1(query: str) -> None:
    retriever = found(0.6)
    result = look(retriever, query=query)
    assert (result.outcome, result.retrieval_layer, result.evidence_blocks) == ("refused", None, ())
    assert result.error is not None
    assert result.error.code == "empty_query"
    assert retriever.requests == []


def test_nothing_found_is_no_evidence() -> None:
    empty = StaticRetriever(L1Outcome(status="empty", mode="hybrid", attempted=True))
    result = look(empty, query="zebra crossing")
    assert (result.outcome, result.retrieval_layer) == ("no_evidence", None)
    assert (result.relevance.level, result.relevance.confidence) == ("none", 0.0)


def test_lookups_from_many_threads_do_not_mix() -> None:
    results: dict[int, LookupResult] = {}

    def ask(number: int) -> None:
        query = "refund" if number % 2 else "badge"
        results[number] = look(None, query=query)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {n: r.evidence_blocks[0].source for n, r in results.items()} == {
        n: "refund.md" if n % 2 else "badge.md" for n in range(16)
    }


def test_notes_that_are_not_there_are_a_warning() -> None:
    nothing = replace(view(None), entries={}, l0=L0Index([]))
    options = LookupOptions(**OPTIONS)
    result = run_lookup("refund", nothing, options, TimeLimit())
    assert result.outcome == "no_evidence"
    assert [warning.code for warning in result.warnings] == ["no_notes"]
