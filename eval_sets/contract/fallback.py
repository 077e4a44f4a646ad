"""Whether L0 evidence survives an L1 that gives nothing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from eval_sets.rows import mean
from eval_sets.types import Mean, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class FallbackMetrics:
    """The fallback's account under one fault; `kept` says whether the contract held."""

    l0_primary: Mean
    """Share of the L0-matched queries whose primary is an L0 block; must be 1.0."""
    false_semantic: tuple[str, ...]
    """Cases that claim semantic support, or L1 evidence, without an L1 that is ok; must be none."""
    records_kept: Mean
    """Share of the looked-at records of L0-matched queries that held the hints; must be 1.0."""
    lost: tuple[str, ...]
    """Cases that L0 matched and that came back without an L0 primary."""

    @property
    def kept(self) -> bool:
        """True when nothing was lost, claimed falsely or left unrecorded.

        Also True when no query was L0-matched: look at the denominators.
        """
        unrecorded = self.records_kept.value is not None and self.records_kept.value < 1
        return not self.lost and not self.false_semantic and not unrecorded


def fallback_metrics(rows: Sequence[Row], *, healthy: Iterable[Row] = ()) -> FallbackMetrics:
    """The fallback's account of one fault profile.

    Whether L0 matched a query is read from its row; a row that failed says nothing, and then the
    row of the same case in `healthy` (the variant without the fault) tells. When that is missing
    too, the query counts as matched: a crash must not make the share look better.
    """
    matched_when_healthy = {row.case_id: row.l0_matches for row in healthy}
    matched = [row for row in rows if _is_matched(row, matched_when_healthy.get(row.case_id))]
    lost = tuple(row.case_id for row in matched if not _has_l0_primary(row))
    return FallbackMetrics(
        l0_primary=mean(float(_has_l0_primary(row)) for row in matched),
        false_semantic=tuple(row.case_id for row in rows if _claims_falsely(row)),
        records_kept=mean(
            None if row.hints_recorded is None else float(row.hints_recorded) for row in matched
        ),
        lost=lost,
    )


def _is_matched(row: Row, when_healthy: int | None) -> bool:
    known = row.l0_matches if row.l0_matches is not None else when_healthy
    return known is None or known > 0


def _has_l0_primary(row: Row) -> bool:
    return bool(row.ranking) and row.ranking[0].layer == "L0"


def _claims_falsely(row: Row) -> bool:
    if row.l1_status in (None, "ok"):
        return False
    supported = row.relevance is not None and row.relevance.semantic_support
    # A block from beyond the filter may stand beside an L0 fallback as `relaxed`, marked so.
    blocks = any(block.layer != "L0" and not block.relaxed for block in row.ranking)
    return supported or row.retrieval_layer in ("L1", "L0+L1") or blocks
