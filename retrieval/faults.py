"""L1 as the lookup sees it, and its faults: those on purpose, and candidates that cannot be."""

import math
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from retrieval.errors import IndexDamaged, IndexUnavailable
from retrieval.types import Candidate, Entry, ErrorInfo, L1Outcome, L1Request

Fault = Literal["l1-raises", "l1-empty", "l1-timeout", "l1-off"]
HANG_SECONDS = 2.0
"""How long a request with the fault `l1-timeout` hangs; the lookup waits `FAULT_TIMEOUT`."""
FAULT_TIMEOUT = 0.25
PAUSED = ErrorInfo(
    code="l1_paused",
    message="L1 is paused after three timeouts in a row.",
    next_action="Ask again later, or raise `lookup.l1_timeout`.",
)


class Retriever(Protocol):
    """What the lookup needs of L1: the one seam behind which the index lies."""

    @property
    def is_open(self) -> bool:
        """False while the next request has to load the index and the model first."""

    def retrieve(self, request: L1Request) -> L1Outcome:
        """The semantic request; may raise anything."""

    def fulltext(self, request: L1Request) -> tuple[Candidate, ...]:
        """What full text alone finds, to order and extend a fallback."""


@dataclass(frozen=True, slots=True)
class FaultyRetriever:
    """A retriever whose dense request raises, finds nothing, or never comes back.

    Its full text still works, as it would when only the vectors or the embedder are broken.
    """

    retriever: Retriever
    fault: Fault
    is_open: bool = True

    def retrieve(self, request: L1Request) -> L1Outcome:
        if self.fault == "l1-raises":
            raise IndexUnavailable(
                "L1 was made to fail, by the fault l1-raises.",
                next_action="Ask without the fault.",
            )
        if self.fault == "l1-timeout":
            threading.Event().wait(HANG_SECONDS)
        return L1Outcome(status="empty", mode=request.mode, attempted=True)

    def fulltext(self, request: L1Request) -> tuple[Candidate, ...]:
        return self.retriever.fulltext(request)


def timed_out(seconds: float, fault: Fault | None) -> ErrorInfo:
    """What the lookup says of an L1 that took longer than `seconds`, by itself or on purpose."""
    if fault == "l1-timeout":
        return ErrorInfo(
            code="l1_timeout",
            message="L1 was made to time out, by the fault l1-timeout.",
            next_action="Ask without the fault.",
        )
    return ErrorInfo(
        code="l1_timeout",
        message=f"L1 took longer than {seconds:g} s.",
        next_action="Ask again later, or raise `lookup.l1_timeout`.",
    )


def check_candidates(
    candidates: tuple[Candidate, ...], entries: Mapping[str, Entry]
) -> tuple[Candidate, ...]:
    """The candidates. Raises `IndexDamaged` when one is no passage of these notes, or has a score
    that is no number."""
    for candidate in candidates:
        entry = entries.get(candidate.source)
        # One number that is not finite makes the sum not finite.
        scores = candidate.score + (candidate.cosine or 0.0) + (candidate.fulltext_score or 0.0)
        if entry is None or candidate.passage_id not in [p.id for p in entry.passages]:
            wrong = "which the notes do not have"
        elif not math.isfinite(scores):
            wrong = "with a score that is no number"
        else:
            continue
        raise IndexDamaged(
            f"L1 gave the passage {candidate.passage_id}, {wrong}.",
            next_action="Run `lookup-knowledge index --full`.",
        )
    return candidates
