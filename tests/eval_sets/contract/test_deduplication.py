from eval_sets.contract import dedupe_metrics
from eval_sets.types import Mean
from retrieval.types import Counts
from tests.eval_sets.samples import block, failed, row


def _counts(candidates: int, merged: int, blocks: int, **dropped: int) -> Counts:
    return Counts(
        candidate_count=candidates, merged=merged, dropped=dropped, evidence_block_count=blocks
    )


def test_duplicates_are_counted_and_named() -> None:
    metrics = dedupe_metrics([row("q1", "a", "b", "a", "a"), row("q2", "a")])
    assert metrics.duplicates == 2
    assert metrics.duplicated == ("q1",)


def test_reasons_of_both_paths_are_asked_of_what_both_found() -> None:
    both = block("a", "L0+L1", reason_layers=("L0", "L1"))
    forgot = block("b", "L1", reason_layers=("L1",))
    claims = block("c", "L0+L1", reason_layers=("L0",))
    alone = block("d", "L1", reason_layers=("L1",))
    found = {"l0_sources": ("a", "b"), "l1_sources": ("a", "b", "d")}
    metrics = dedupe_metrics([row("q1", both, forgot, claims, alone, **found)])
    assert metrics.reasons_kept == Mean(value=1 / 3, n=3, of=3)
    assert metrics.reasons_lost == (("q1", "b"), ("q1", "c"))


def test_a_candidate_below_the_least_score_gives_no_reason() -> None:
    counts = _counts(3, 0, 1, min_score=2)
    only = block("a", "L0", reason_layers=("L0",))
    found = {"l0_sources": ("a",), "l1_sources": ("a",)}
    assert dedupe_metrics([row("q1", only, counts=counts, **found)]).reasons_lost == ()


def test_merged_share_is_a_mean_over_rows_with_candidates() -> None:
    metrics = dedupe_metrics(
        [
            row("q1", "a", "b", counts=_counts(4, 2, 2)),
            row("q2", "a", counts=_counts(1, 0, 1)),
            row("q3", counts=_counts(0, 0, 0)),
            failed("q4"),
        ]
    )
    assert metrics.merged_share == Mean(value=0.25, n=2, of=4)
    assert metrics.counts_broken == ()


def test_counts_that_do_not_add_up_are_named() -> None:
    metrics = dedupe_metrics(
        [
            row("sum", "a", counts=_counts(5, 1, 1, top_k=2)),
            row("blocks", "a", "b", counts=_counts(3, 2, 1)),
            row("fine", "a", counts=_counts(4, 1, 1, top_k=2)),
        ]
    )
    assert metrics.counts_broken == ("sum", "blocks")
