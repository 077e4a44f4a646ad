"""Whether each source came back once, with the reasons of both paths."""

from collections.abc import Sequence
from dataclasses import dataclass

from eval_sets.rows import mean
from eval_sets.types import Mean, Ranked, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class DedupeMetrics:
    """The account of merging over the rows that returned."""

    duplicates: int
    """Blocks whose source had a block before; must be 0."""
    duplicated: tuple[str, ...]
    """Cases with such a block."""
    merged_share: Mean
    """Mean share of the candidates that went into another's block, over rows with candidates."""
    reasons_kept: Mean
    """Share of the blocks found by both paths that name a reason of each; must be 1.0."""
    reasons_lost: tuple[tuple[str, str], ...]
    """(case, source) of the others."""
    counts_broken: tuple[str, ...]
    """Cases whose counts do not add up, or name another number of blocks; must be none."""


def dedupe_metrics(rows: Sequence[Row]) -> DedupeMetrics:
    """The account of merging. "Found by both" is read from what L0 and L1 returned.

    It is not read from the block's own layer, which the merge could get wrong as well. Failed
    rows have nothing to merge and count in the `of` of `merged_share` only.
    """
    repeated = {row.case_id: len(row.sources) - len(set(row.sources)) for row in rows}
    both = [(row, block) for row in rows for block in row.ranking if _found_by_both(row, block)]
    return DedupeMetrics(
        duplicates=sum(repeated.values()),
        duplicated=tuple(case_id for case_id, count in repeated.items() if count),
        merged_share=mean(_merged_share(row) for row in rows),
        reasons_kept=mean(float(_names_both(block)) for _, block in both),
        reasons_lost=tuple(
            (row.case_id, block.source) for row, block in both if not _names_both(block)
        ),
        counts_broken=tuple(row.case_id for row in rows if not _counts_hold(row)),
    )


def _found_by_both(row: Row, block: Ranked) -> bool:
    if block.layer == "L0+L1":
        return True
    # A candidate below `min_score` is no evidence, and a row does not say which ones were.
    if row.counts is not None and row.counts.dropped.get("min_score"):
        return False
    return block.source in row.l0_sources and block.source in row.l1_sources


def _names_both(block: Ranked) -> bool:
    return {"L0", "L1"} <= set(block.reason_layers)


def _merged_share(row: Row) -> float | None:
    if row.counts is None or not row.counts.candidate_count:
        return None
    return row.counts.merged / row.counts.candidate_count


def _counts_hold(row: Row) -> bool:
    if row.counts is None:
        return True
    counts = row.counts
    total = counts.evidence_block_count + counts.merged + sum(counts.dropped.values())
    return counts.candidate_count == total and counts.evidence_block_count == len(row.ranking)
