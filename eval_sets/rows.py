"""From one lookup to one row: everything that the metrics read, and nothing else."""

from collections.abc import Iterable

from eval_sets.types import Case, Mean, Ranked, Row, RowStatus
from retrieval.errors import RetrievalError
from retrieval.types import ErrorInfo, EvidenceBlock, LookupResult


def row_of(
    case: Case,
    variant: str,
    result: LookupResult,
    *,
    coverage: float | None = None,
    overlap: float | None = None,
    latency_ms: float | None = None,
    hints_recorded: bool | None = None,
) -> Row:
    """The row of a lookup that returned; calibration needs its `coverage` and `overlap`.

    Its status is `failed` when the outcome is `error` or `refused`, else `not_judged` when the
    case has no label, `zero_result` when no block came back, and `evaluated` otherwise.
    """
    return Row(
        case_id=case.id,
        variant=variant,
        status=_status(case, result),
        ranking=tuple(_ranked(block) for block in result.evidence_blocks),
        outcome=result.outcome,
        retrieval_layer=result.retrieval_layer,
        l0_sources=tuple(match.source for match in result.l0_hints.matches),
        l0_matches=result.l0_hints.matches_total,
        domains=result.l0_hints.domains,
        l1_sources=tuple(dict.fromkeys(c.source for c in result.l1.candidates)),
        l1_status=result.l1.status,
        filter=result.filter,
        shadow=result.l1.shadow,
        relaxed=result.relaxed,
        relevance=result.relevance,
        coverage=coverage,
        overlap=overlap,
        counts=result.counts,
        latency_ms=latency_ms,
        timings_ms=dict(result.timings_ms),
        hints_recorded=hints_recorded,
        error=result.error or result.l1.error,
        fingerprint=result.fingerprint,
    )


def failed_row(
    case: Case, variant: str, error: Exception, *, latency_ms: float | None = None
) -> Row:
    """The row of a lookup that raised."""
    info = (
        error.info()
        if isinstance(error, RetrievalError)
        else ErrorInfo(code=type(error).__name__, message=str(error))
    )
    return Row(case_id=case.id, variant=variant, status="failed", error=info, latency_ms=latency_ms)


def mean(values: Iterable[float | None]) -> Mean:
    """The average of the values that are there; None of them count in `of` only."""
    everything = tuple(values)
    present = [value for value in everything if value is not None]
    average = sum(present) / len(present) if present else None
    return Mean(value=average, n=len(present), of=len(everything))


def _status(case: Case, result: LookupResult) -> RowStatus:
    if result.outcome in ("error", "refused"):
        return "failed"
    if not case.judged:
        return "not_judged"
    return "evaluated" if result.evidence_blocks else "zero_result"


def _ranked(block: EvidenceBlock) -> Ranked:
    return Ranked(
        source=block.source,
        rank_score=block.rank_score,
        score=block.score,
        layer=block.retrieval_layer,
        reason_kinds=tuple(dict.fromkeys(reason.kind for reason in block.hit_reasons)),
        reason_layers=tuple(dict.fromkeys(reason.layer for reason in block.hit_reasons)),
        relaxed=block.relaxed,
    )
