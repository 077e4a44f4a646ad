"""The answer to a query that was not looked up."""

from typing import Protocol

from retrieval.errors import RetrievalError
from retrieval.types import (
    Counts,
    FilterDecision,
    FilterMode,
    Fingerprint,
    L0Hints,
    L1Mode,
    L1Outcome,
    LookupResult,
    Outcome,
    Relevance,
)

NO_FINGERPRINT = Fingerprint(config="", index=None, embedding=None)
"""Where the notes cannot be read, there is no state that an answer could come from."""


class Modes(Protocol):
    """What a refusal repeats of the options or of the settings."""

    @property
    def filter_mode(self) -> FilterMode: ...
    @property
    def l1_mode(self) -> L1Mode: ...


def refuse(
    query: str,
    error: RetrievalError,
    modes: Modes,
    *,
    fingerprint: Fingerprint,
    outcome: Outcome = "refused",
) -> LookupResult:
    """The result of a query that was not looked up: no evidence, and the error as data."""
    return LookupResult(
        query=query,
        outcome=outcome,
        retrieval_layer=None,
        evidence_blocks=(),
        l0_hints=L0Hints(),
        filter=FilterDecision(mode=modes.filter_mode, reason="Nothing was looked up."),
        l1=L1Outcome(status="disabled", mode=modes.l1_mode, attempted=False),
        counts=Counts(candidate_count=0, merged=0, dropped={}, evidence_block_count=0),
        relevance=Relevance(
            level="none",
            confidence=0.0,
            calibrated=False,
            semantic_support=False,
            reason="Nothing was looked up.",
        ),
        timings_ms={"total": 0.0},
        fingerprint=fingerprint,
        error=error.info(),
    )
