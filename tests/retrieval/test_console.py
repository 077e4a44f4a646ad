"""Rendering for terminals: 80 columns, everything said, and note text never obeyed."""

import io
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from rich.cells import cell_len

from retrieval.console import Page, plain, show_result, show_trace, show_trace_list
from retrieval.console.answer import place
from retrieval.records import ToolInvocation
from retrieval.types import (
    Candidate,
    Condition,
    Counts,
    ErrorInfo,
    EvidenceBlock,
    FilterDecision,
    Fingerprint,
    HitReason,
    L0Hints,
    L0Match,
    L1Outcome,
    LookupResult,
    NearMatch,
    PassageSpan,
    Relevance,
    Shadow,
    TermHit,
)

HIT = TermHit(term="refund window", field="keyword", start=10, end=23)


def block(source: str = "billing/refund-window.md", **values: Any) -> EvidenceBlock:
    defaults: dict[str, Any] = {
        "title": "Refund window",
        "breadcrumb": ("Refund window", "Exceptions"),
        "retrieval_layer": "L0+L1",
        "content": "Refunds are paid within 30 days.",
        "rank_score": 1.25,
        "score": 0.71,
        "hit_reasons": (
            HitReason(kind="keyword", text="keyword 'refund window' stands in it", layer="L0"),
            HitReason(kind="semantic", text="close in meaning (cosine 0.71)", layer="L1"),
        ),
        "passages": (
            PassageSpan(id="p#1", breadcrumb=("a",), line_start=12, line_end=24, score=0.71),
            PassageSpan(id="p#2", breadcrumb=("a",), line_start=30, line_end=31, score=None),
        ),
    }
    return EvidenceBlock(source=source, **{**defaults, **values})


RESULT = LookupResult(
    query="What is a refund window?",
    outcome="evidence",
    retrieval_layer="L0+L1",
    evidence_blocks=(block(), block("support/macros.md", title="Macros", relaxed=True, score=None)),
    l0_hints=L0Hints(
        matches=(
            L0Match(
                source="billing/refund-window.md",
                title="Refund window",
                categories=("Billing",),
                hits=(HIT,),
                score=1.0,
            ),
        ),
        matches_total=3,
        keywords=("refund window",),
        domains=("Billing",),
        entities=("RW-1",),
        near_matches=(NearMatch(source="n.md", title="N", score=0.3, reason="shares 'window'"),),
        category_hits=(TermHit(term="billing", field="category", start=0, end=4),),
    ),
    filter=FilterDecision(
        mode="auto",
        category="Billing",
        conditions=(Condition(key="lang", op="nin", values=("de", "fr")),),
        reason="All matches name one category.",
    ),
    l1=L1Outcome(
        status="ok",
        mode="hybrid",
        attempted=True,
        candidates=(
            Candidate(
                passage_id="billing/refund-window.md#1",
                source="billing/refund-window.md",
                score=1.1,
                cosine=0.71,
                fulltext_score=12.34,
            ),
            Candidate(passage_id="m#2", source="m", score=0.4, cosine=None, relaxed=True),
        ),
        shadow=Shadow(
            candidates=100,
            outside=63,
            best_cosine_inside=0.71,
            best_cosine_outside=0.66,
            best_source_outside="support/macros.md",
            best_rank_outside=3,
        ),
    ),
    counts=Counts(candidate_count=9, merged=3, dropped={"top_k": 4}, evidence_block_count=2),
    relevance=Relevance(
        level="strong", confidence=0.824, calibrated=False, semantic_support=True, reason="Close."
    ),
    timings_ms={"l0": 0.41, "total": 12.0},
    fingerprint=Fingerprint(config="cfg", index=None, embedding="emb"),
    warnings=(ErrorInfo(code="w", message="It is old.", next_action="Index it."),),
    invocation_id="0123abcd",
)


def shown(result: LookupResult, *, explain: bool = False, width: int = 80) -> str:
    file = io.StringIO()
    show_result(result, Page(file, width=width), explain=explain)
    return file.getvalue()


def test_the_answer_in_full() -> None:
    assert shown(RESULT).splitlines() == [
        "evidence · L0+L1 · strong, confidence 0.82 · 2 notes",
        "Close.",
        "Warning: It is old. Index it.",
        "",
        "Refund window",
        "billing/refund-window.md:12-24  L0+L1  cosine 0.71",
        "Refund window › Exceptions",
        "",
        "  Refunds are paid within 30 days.",
        "",
        "Also",
        " 2. Macros",
        "    support/macros.md:12-24  L0+L1  let in past the filter",
        "    Refunds are paid within 30 days.",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "L0 hints: 3 matches",
        "  billing/refund-window.md  Refund window  [Billing]",
        "    keyword 'refund window' at characters 10-23 of the query",
        "  … and 2 more",
        "  category 'billing' at characters 0-4 of the query: adds a domain",
        "  domains: Billing",
        "  entities: RW-1",
        "    0.30  n.md: shares 'window'",
        "Filter (auto): category 'Billing', from L0",
        "  All matches name one category.",
        "  caller: lang is none of de, fr",
        "  best note outside: support/macros.md, rank 3 without the filter",
        "  let in past the filter: 1",
        "L1: ok (hybrid), 2 candidates",
        "    0.71   12.34        1.10  billing/refund-window.md#1",
        "       –       –        0.40  m#2  let in past the filter",
        "Evidence: 9 candidates = 2 blocks + 3 merged + 4 dropped (4 beyond top k)",
        " 1. billing/refund-window.md:12-24  L0+L1  rank score 1.25",
        "    L0 keyword 'refund window' stands in it",
        "    L1 close in meaning (cosine 0.71)",
        "    lines (cosine): 12-24 (0.71), 30-31 (–)",
        "Timings: l0 0.4 ms, total 12.0 ms",
        "Fingerprint: config cfg, index –, embedding emb",
        "Recorded as: 0123abcd",
    ],
)
def test_explain_says_how_it_came_about(line: str) -> None:
    assert line in shown(RESULT, explain=True).splitlines()


def test_lines_fit_the_width_and_end_without_blanks() -> None:
    wide = replace(
        RESULT,
        evidence_blocks=(
            block(
                "deep/" * 40 + "x.md", title="word " * 60, content="退款" * 100 + "\n\n" + "a" * 300
            ),
            block(content="word " * 300),
        ),
    )
    for line in shown(wide, explain=True, width=80).splitlines():
        assert len(line) + sum(char > "\u2e80" for char in line) <= 80
        assert line == line.rstrip()


def test_note_text_is_never_obeyed() -> None:
    hostile = (
        "[bold red]red[/] [link=https://x.example]y[/link] :smile: "
        "\x1b[2J\x1b]8;;https://x.example\x07\x9b31m \u202etxt.exe \x08\x00 end"
    )
    output = shown(
        replace(RESULT, evidence_blocks=(block(content=hostile, title=hostile),)),
        explain=True,
        width=300,
    )
    assert "[bold red]red[/] [link=https://x.example]y[/link] :smile:" in output
    assert not {"\x1b", "\x07", "\x08", "\x00", "\x9b", "\u202e"} & set(output)


def test_plain_keeps_text_and_makes_one_kind_of_line_end() -> None:
    assert plain("a\tb\r\nc\rd\u2028e ü 退 🧾") == "a\tb\nc\nd\ne ü 退 🧾"


def test_a_refused_query_shows_the_error_alone() -> None:
    error = ErrorInfo(code="empty_query", message="It is blank.", next_action="Ask something.")
    assert shown(replace(RESULT, outcome="refused", error=error)) == (
        "Error: It is blank. Ask something.\n"
    )


def test_the_place_is_that_of_the_closest_passage() -> None:
    spans = tuple(
        PassageSpan(id=str(n), breadcrumb=("a",), line_start=n, line_end=n + 1, score=score)
        for n, score in ((1, None), (5, 0.2), (9, 0.6))
    )
    assert place(block(passages=spans)) == "billing/refund-window.md:9-10"
    assert place(block(passages=spans[:1])) == "billing/refund-window.md:1-2"
    assert place(block(passages=())) == "billing/refund-window.md"


def test_no_evidence_shows_the_outcome() -> None:
    nothing = replace(RESULT, outcome="no_evidence", retrieval_layer=None, evidence_blocks=())
    assert shown(nothing).splitlines()[0] == "no_evidence · strong, confidence 0.82 · 0 notes"


def test_a_fallback_explains_why_l1_did_not_answer() -> None:
    l1 = L1Outcome(
        status="failed",
        mode="hybrid",
        attempted=False,
        extra=(Candidate(passage_id="f#1", source="f", score=1.0, fulltext_score=2.0),),
        error=ErrorInfo(code="l1_failed", message="It broke.", next_action="Mend it."),
        embedder_fits=False,
    )
    lines = shown(replace(RESULT, l1=l1), explain=True).splitlines()
    start = lines.index("L1: failed (hybrid, not asked), 0 candidates")
    assert lines[start + 1 : start + 6] == [
        "  It broke. Mend it.",
        "  The embedder was not trained on the query's script.",
        "  full text for the fallback: 1 passages",
        "  cosine    BM25  rank score  passage",
        "       –    2.00        1.00  f#1",
    ]


def trace(**values: Any) -> ToolInvocation:
    defaults: dict[str, Any] = {
        "id": "0123456789abcdef",
        "created_at": datetime(2026, 3, 1, 12, 30, tzinfo=UTC),
        "tool_name": "lookup_knowledge",
        "caller": "cli",
        "query": "refund\n\x1b[1mwindow",
        "outcome": "evidence",
        "retrieval_layer": "L0+L1",
        "latency_ms": 12.34,
    }
    return ToolInvocation(**{**defaults, **values})


def test_traces_are_listed_one_to_a_line() -> None:
    file = io.StringIO()
    rows = [trace(), trace(query=None, outcome="refused", retrieval_layer=None, latency_ms=None)]
    show_trace_list(rows, Page(file, width=100))
    assert file.getvalue().splitlines() == [
        "id        time (UTC)           outcome      layer      ms  query",
        "01234567  2026-03-01 12:30:00  evidence     L0+L1    12.3  refund [1mwindow",
        "01234567  2026-03-01 12:30:00  refused      –           –  (query not recorded)",
    ]


@pytest.mark.parametrize(("width", "end"), [(40, 80), (80, 80), (90, 90), (300, 100)])
def test_a_long_query_is_cut_to_its_line(width: int, end: int) -> None:
    file = io.StringIO()
    queries = ["refund window " * 500, "退款" * 500, "line\nend " * 500, "short"]
    show_trace_list([trace(query=query) for query in queries], Page(file, width=width))
    _, latin, wide, lines, short = file.getvalue().splitlines()[-5:]
    assert (len(latin), latin[-1]) == (end, "…")
    assert cell_len(wide) in (end, end - 1)
    assert wide.rstrip().endswith("退…") or wide.rstrip().endswith("款…")
    assert "line end line" in lines
    assert short.endswith("  short")


def test_an_empty_list_of_traces_says_so() -> None:
    file = io.StringIO()
    show_trace_list([], Page(file))
    assert file.getvalue() == "No record fits.\n"


def test_a_trace_shows_the_call_the_hints_and_the_blocks() -> None:
    file = io.StringIO()
    details = {
        "l0_hints": {"titles": ["Refund window"], "domains": []},
        "evidence_blocks": [
            {
                "source": "a.md",
                "title": "A",
                "retrieval_layer": "L0",
                "score": 0.5,
                "hit_reasons": ["because"],
                "preview": "text",
            },
            {"source": "b.md", "retrieval_layer": "L1"},
        ],
    }
    show_trace(
        trace(
            retrieval_details=details,
            arguments={"top_k": 3},
            session_id="s-1",
            error={"code": "l1_failed"},
        ),
        Page(file, width=80),
    )
    assert file.getvalue().splitlines() == [
        "refund [1mwindow",
        "evidence · L0+L1 · 12.3 ms",
        "0123456789abcdef  2026-03-01 12:30:00 UTC",
        "lookup_knowledge called by cli, session s-1",
        'arguments: {"top_k": 3}',
        'error: {"code": "l1_failed"}',
        "",
        "l0_hints",
        '  titles: ["Refund window"]',
        "  domains: []",
        "",
        "evidence_blocks",
        " 1. a.md  A  L0  cosine 0.50",
        "    because",
        "    text",
        " 2. b.md    L1",
    ]
