"""The conductor: one query through L0, filter, L1, merge and relevance to one result.

The stages are pure; L1 is the only one that does I/O. Whatever goes wrong there becomes data in
`LookupResult.l1`, and L0 answers.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from retrieval.budget import fit_budget
from retrieval.errors import EmptyQuery, RetrievalError
from retrieval.evidence import merge_evidence
from retrieval.faults import (
    FAULT_TIMEOUT,
    PAUSED,
    FaultyRetriever,
    Retriever,
    check_candidates,
    timed_out,
)
from retrieval.filtering import admission, decide_filter, shorten_values, unmet_values
from retrieval.hints import L0Index
from retrieval.options import LookupOptions
from retrieval.refusal import refuse
from retrieval.relevance import DEFAULT_THRESHOLDS, Thresholds, assess
from retrieval.scope import visible
from retrieval.shown import cut
from retrieval.telemetry import traced_l0, traced_l1
from retrieval.text import is_blank
from retrieval.types import (
    Entry,
    ErrorInfo,
    Fingerprint,
    L0Hints,
    L1Outcome,
    L1Request,
    Layer,
    LookupResult,
    Outcome,
)
from retrieval.weights import WEIGHTS, Weights
from retrieval.worker import TimeLimit

LONGEST_REASON = 500
OPENING_SECONDS = 60.0
"""What the first request may take beside the time limit, to load the index and the model."""


@dataclass(frozen=True, slots=True, weakref_slot=True, kw_only=True)
class View:
    """The state of a knowledge base that one lookup reads from start to end."""

    entries: Mapping[str, Entry]
    l0: L0Index
    retriever: Retriever | None
    unavailable: ErrorInfo | None
    """Why there is no retriever."""
    semantic_floor: float
    fingerprint: Fingerprint
    thresholds: Thresholds = DEFAULT_THRESHOLDS
    weights: Weights = WEIGHTS
    warnings: tuple[ErrorInfo, ...] = ()
    """What every answer from this state has to say."""


def run_lookup(
    query: str, view: View, options: LookupOptions, limit: TimeLimit[L1Outcome]
) -> LookupResult:
    """The answer to `query`; `refused` when it holds nothing to look up."""
    if is_blank(query):
        error = EmptyQuery(
            "The query is blank or holds punctuation only.",
            next_action="Ask with at least one word.",
        )
        return refuse(query, error, options, fingerprint=view.fingerprint)
    started = time.perf_counter()
    hints = L0Hints()
    if options.mode != "l1":
        hints = traced_l0(view.l0.match)(query, admission(options.conditions))
    decision = decide_filter(hints, mode=options.filter_mode, conditions=options.conditions)
    matched = time.perf_counter()
    request = L1Request(
        query=query,
        mode=options.l1_mode,
        decision=decision,
        relax_margin=options.relax_margin,
        semantic_floor=view.semantic_floor,
    )
    l1 = _usable(_ask_l1(view, request, options, limit), options.min_score)
    asked = time.perf_counter()
    rarity = view.l0.headlines.rarity
    blocks, counts = merge_evidence(
        query=query,
        hints=hints,
        l1=l1,
        entries=view.entries,
        rarity=rarity,
        top_k=options.top_k,
        min_score=options.min_score,
        weights=view.weights,
    )
    relevance = assess(
        query,
        blocks,
        l1,
        semantic_floor=view.semantic_floor,
        rarity=rarity,
        overlap=view.l0.overlap,
        thresholds=view.thresholds,
    )
    done = time.perf_counter()
    result = LookupResult(
        query=query,
        outcome=_outcome(bool(blocks), l1),
        retrieval_layer=_layer(hints, l1) if blocks else None,
        evidence_blocks=blocks,
        l0_hints=hints,
        filter=shorten_values(decision),
        l1=l1,
        counts=counts,
        relevance=relevance,
        timings_ms={
            "l0": _ms(started, matched),
            "l1": _ms(matched, asked),
            "merge": _ms(asked, done),
            "total": _ms(started, done),
        },
        fingerprint=view.fingerprint,
        warnings=(*view.warnings, *_notices(view, options, l1)),
    )
    return result if options.budget is None else fit_budget(result, options.budget)


def _notices(view: View, options: LookupOptions, l1: L1Outcome) -> tuple[ErrorInfo, ...]:
    """Why less is found than there may be: a broken L1, no notes, or a filter without any."""
    broken = (l1.error,) if l1.error is not None else ()
    notes = visible(view.entries.values(), options.scope)
    if not notes:
        return (
            *broken,
            ErrorInfo(
                code="no_notes",
                message="The knowledge base holds no note that can be read.",
                next_action="Check the folder and `knowledge.include`; see: lookup-knowledge lint",
            ),
        )
    own = options.conditions[len(options.scope) :]
    return (*broken, *unmet_values(notes, own))


@traced_l1
def _ask_l1(
    view: View, request: L1Request, options: LookupOptions, limit: TimeLimit[L1Outcome]
) -> L1Outcome:
    """L1's outcome, with full-text finds for the fallback where L1 has none of its own."""
    mode = request.mode
    if options.mode == "l0" or options.fault == "l1-off":
        return L1Outcome(status="disabled", mode=mode, attempted=False)
    if view.retriever is None:
        return L1Outcome(status="not_ready", mode=mode, attempted=False, error=view.unavailable)
    retriever: Retriever = view.retriever
    seconds = options.l1_timeout + (0.0 if retriever.is_open else OPENING_SECONDS)
    if options.fault is not None:
        retriever = FaultyRetriever(retriever, options.fault)
        limit = TimeLimit()  # a fault on purpose must not pause the real L1
        seconds = min(seconds, FAULT_TIMEOUT) if options.fault == "l1-timeout" else seconds
    if limit.is_paused:
        outcome = L1Outcome(status="timeout", mode=mode, attempted=False, error=PAUSED)
    else:
        try:
            outcome = limit.run(lambda: retriever.retrieve(request), seconds)
            check_candidates(outcome.candidates, view.entries)
        except TimeoutError:
            late = timed_out(seconds, options.fault)
            outcome = L1Outcome(status="timeout", mode=mode, attempted=True, error=late)
        except Exception as error:  # noqa: BLE001 - a failing L1 is data: spec.md, "L1 fails"
            outcome = L1Outcome(status="failed", mode=mode, attempted=True, error=_info(error))
    if outcome.status == "ok" or options.mode == "l1" or mode != "hybrid":
        return outcome
    try:
        return replace(outcome, extra=check_candidates(retriever.fulltext(request), view.entries))
    except (RetrievalError, OSError, ValueError):  # full text is broken too: L0 stands alone
        return outcome


def _usable(l1: L1Outcome, min_score: float | None) -> L1Outcome:
    """`empty` instead of `ok` when `min_score` leaves nothing of what the filter admits."""
    if l1.status != "ok" or min_score is None:
        return l1
    if any(c.cosine is None or c.cosine >= min_score for c in l1.candidates if not c.relaxed):
        return l1
    return replace(l1, status="empty")


def _info(error: Exception) -> ErrorInfo:
    if isinstance(error, RetrievalError):
        return error.info()
    return ErrorInfo(
        code="l1_failed",
        message=cut(f"{type(error).__name__}: {error}", LONGEST_REASON),
        next_action="Run `lookup-knowledge index`; with `--full` if it happens again.",
    )


def _outcome(has_blocks: bool, l1: L1Outcome) -> Outcome:
    if not has_blocks:
        return "no_evidence"
    return "evidence" if l1.status in ("ok", "disabled") else "fallback"


def _layer(hints: L0Hints, l1: L1Outcome) -> Layer:
    if l1.status != "ok":
        return "L0"
    return "L0+L1" if hints.matches or hints.category_hits else "L1"


def _ms(start: float, end: float) -> float:
    return round((end - start) * 1000, 3)
