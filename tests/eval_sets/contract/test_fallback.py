from typing import Any

import pytest

from eval_sets.contract import fallback_metrics
from eval_sets.types import Mean, Row
from tests.eval_sets.samples import block, failed, relevance, row


def _broken(identifier: str, *blocks: Any, matches: int = 1, **fields: Any) -> Row:
    return row(identifier, *blocks, l0_matches=matches, l1_status="failed", **fields)


def test_every_matched_query_keeps_an_l0_primary() -> None:
    metrics = fallback_metrics(
        [
            _broken("kept", block("a", "L0"), hints_recorded=True),
            _broken("lost", hints_recorded=False),
            _broken("wrong", block("a", "L1", relaxed=True), block("b", "L0")),
            _broken("unmatched", matches=0, hints_recorded=False),
        ]
    )
    assert metrics.l0_primary == Mean(value=1 / 3, n=3, of=3)
    assert metrics.lost == ("lost", "wrong")
    assert metrics.records_kept == Mean(value=1 / 2, n=2, of=3)
    assert not metrics.kept


def test_a_crash_counts_as_lost_unless_the_healthy_run_had_no_match() -> None:
    rows = [failed("matched"), failed("unmatched"), failed("unknown")]
    healthy = [row("matched", l0_matches=2), row("unmatched", l0_matches=0)]
    assert fallback_metrics(rows, healthy=healthy).lost == ("matched", "unknown")


@pytest.mark.parametrize(
    "claim",
    [
        {"relevance": relevance(0.9, "strong", supported=True)},
        {"retrieval_layer": "L0+L1"},
        {"retrieval_layer": "L1"},
    ],
)
def test_semantic_support_without_l1_is_a_false_claim(claim: dict[str, Any]) -> None:
    rows = [_broken("q1", block("a", "L0"), **claim)]
    assert fallback_metrics(rows).false_semantic == ("q1",)
    assert not fallback_metrics(rows).kept


def test_a_block_of_l1_without_l1_is_a_false_claim_unless_it_is_marked_relaxed() -> None:
    marked = block("b", "L1", relaxed=True)
    claiming = block("b", "L0+L1")
    assert fallback_metrics([_broken("q1", block("a", "L0"), marked)]).false_semantic == ()
    assert fallback_metrics([_broken("q1", block("a", "L0"), claiming)]).false_semantic == ("q1",)


def test_support_from_a_working_l1_is_no_false_claim() -> None:
    supported = relevance(0.9, "strong", supported=True)
    rows = [row("q1", "a", l0_matches=0, l1_status="ok", relevance=supported)]
    metrics = fallback_metrics(rows)
    assert metrics.false_semantic == ()
    assert metrics.l0_primary == Mean(value=None, n=0, of=0)
    assert metrics.kept


def test_records_that_nobody_looked_at_are_missing_not_lost() -> None:
    metrics = fallback_metrics([_broken("q1", block("a", "L0"))])
    assert metrics.records_kept == Mean(value=None, n=0, of=1)
    assert metrics.kept
