"""A record as it is drawn: all that was recorded, and nothing that is active."""

from datetime import UTC, datetime
from typing import Any

import pytest

from retrieval.records import ToolInvocation
from workbench.presenters.trace_detail import block_card, present_trace, shadow_sentence
from workbench.presenters.traces import clock_of, page_line, show_query, waiting_line

UTC_CLOCK = clock_of(None)


def invocation(query: str | None, **details: Any) -> ToolInvocation:
    return ToolInvocation(
        tool_name="lookup_knowledge",
        caller="t",
        query=query,
        outcome="evidence",
        created_at=datetime(2026, 3, 1, 12, tzinfo=UTC),
        retrieval_details=details,
    )


def test_matched_words_are_marked_by_their_offsets() -> None:
    hits = [{"term": "vpn", "field": "keyword", "start": 4, "end": 7}]
    hints = {"matches": [{"source": "a.md", "hits": hits}], "matches_total": 1}
    view = present_trace(invocation("the VPN <b>", l0_hints=hints), UTC_CLOCK)
    assert "the <mark>VPN</mark> &lt;b&gt;" in view.headline
    assert "1 note matched by words" in view.hints


def test_a_block_is_escaped_and_keeps_its_reasons() -> None:
    card = block_card(
        2,
        {
            "source": "a&b.md",
            "title": "<img src=x>",
            "retrieval_layer": "L0+L1",
            "score": 0.618,
            "hit_reasons": ["keyword 'x' stands in the query"],
            "preview": "<script>",
        },
    )
    assert "<img" not in card
    assert "<script>" not in card
    assert "cosine 0.62" in card
    assert "keyword &#39;x&#39; stands in the query" in card


@pytest.mark.parametrize(
    ("decision", "says"),
    [
        ({}, ""),
        ({"category": None, "shadow": {"outside": 3}}, ""),
        (
            {"category": "a", "shadow": {"outside": 0, "best_source_outside": None}},
            "Without the filter nothing else would have come up.",
        ),
        (
            {
                "category": "a",
                "relaxed": 1,
                "shadow": {
                    "outside": 2,
                    "best_source_outside": "b/x.md",
                    "best_rank_outside": 3,
                    "best_cosine_inside": 0.5,
                    "best_cosine_outside": 0.45,
                },
            },
            "Without the filter, b/x.md would be at rank 3 (cosine 0.45; best inside 0.50); "
            "1 block was let in past it.",
        ),
    ],
)
def test_what_the_filter_cost_is_a_sentence(decision: dict[str, Any], says: str) -> None:
    assert shadow_sentence(decision) == says


def test_lines_about_the_list() -> None:
    assert page_line(1, 0, 0) == "No recorded lookup fits."
    assert page_line(51, 50, 100_000) == "51–100 of 100,000 recorded lookups"
    assert waiting_line(0) == ""
    assert waiting_line(2, "It is locked.").endswith("stored later. It is locked.")
    assert show_query(None) == "(query not recorded)"
    assert show_query("a\n\tb\u202e") == "a b\u25a1"
    assert clock_of("Nowhere/Land").name == "UTC"
