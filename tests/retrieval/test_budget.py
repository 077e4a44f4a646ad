import pytest

from retrieval.budget import RESERVE, answer_tokens, estimate_tokens, fit_budget, trim_content
from retrieval.hints import L0Index
from retrieval.lookup import View, run_lookup
from retrieval.options import LookupOptions
from retrieval.types import Fingerprint, L1Outcome, LookupResult
from retrieval.worker import TimeLimit
from tests.builders import entry

LONG = "Filler words that say nothing. " * 60 + "A seat costs nine pounds. " + "More filler. " * 60
ENTRIES = tuple(entry(f"{i}.md", f"Seat {i}", LONG, keywords=[f"seat {i}"]) for i in range(5))


def answer() -> LookupResult:
    view = View(
        entries={e.source: e for e in ENTRIES},
        l0=L0Index(ENTRIES),
        retriever=None,
        unavailable=None,
        semantic_floor=0.35,
        fingerprint=Fingerprint(config="c", index=None, embedding=None),
    )
    options = LookupOptions(
        mode="l0",
        filter_mode="auto",
        l1_mode="hybrid",
        conditions=(),
        top_k=8,
        min_score=None,
        budget=None,
        l1_timeout=1,
        relax_margin=0.1,
    )
    limit: TimeLimit[L1Outcome] = TimeLimit()
    return run_lookup("what costs a seat 1", view, options, limit)


@pytest.mark.parametrize("budget", [1200, 2000, 4000])
def test_the_answer_fits_and_nothing_is_dropped_silently(budget: int) -> None:
    whole = answer()
    assert answer_tokens(whole) > 4000
    fitted = fit_budget(whole, budget)
    assert answer_tokens(fitted) <= budget - RESERVE
    gone = len(whole.evidence_blocks) - len(fitted.evidence_blocks)
    assert fitted.counts.dropped.get("budget", 0) == gone
    counts = fitted.counts
    assert counts.candidate_count == (
        counts.evidence_block_count + counts.merged + sum(counts.dropped.values())
    )
    assert fitted.evidence_blocks[0].trimmed
    assert "seat costs nine pounds" in fitted.evidence_blocks[0].content


def test_an_answer_within_the_budget_is_left_alone() -> None:
    whole = answer()
    assert fit_budget(whole, 100_000) is whole


def test_a_budget_below_one_bare_block_is_said() -> None:
    fitted = fit_budget(answer(), 200)
    assert len(fitted.evidence_blocks) == 1
    assert [w.code for w in fitted.warnings] == ["budget_exceeded"]


def test_trimming_keeps_the_stretch_that_holds_the_query() -> None:
    short = trim_content(LONG, 200, "what does a seat cost")
    assert len(short) <= 200
    assert "A seat costs nine pounds." in short
    assert short.startswith("…")
    assert short.endswith("…")


def test_a_token_is_four_ascii_characters_or_one_other() -> None:
    assert estimate_tokens("abcdefgh") == 2
    assert estimate_tokens("使用手册") == 4
    assert estimate_tokens("") == 0
