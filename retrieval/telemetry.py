"""OpenTelemetry spans of a lookup, with OpenInference's names for what a retriever found.

Spans: `lookup_knowledge` (a tool call, with the id of its record), in it `lookup`, and in that `L0`
and `L1`. Only OpenTelemetry's API is used, and only where the program has imported it already:
otherwise, and without a tracer provider, nothing is made and nothing is imported. Attribute names:
https://github.com/Arize-ai/openinference/blob/main/spec/semantic_conventions.md
"""

import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias

from retrieval.types import L0Hints, L1Outcome, LookupResult

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

P = ParamSpec("P")
Attributes: TypeAlias = Mapping[str, str | int | float | bool]

DOCUMENTS = 20
"""Documents that a span names at most."""

_with_query: ContextVar[bool] = ContextVar("with_query", default=True)


@contextmanager
def trace_tool(name: str) -> "Iterator[Span | None]":
    """A span around one call of a tool."""
    with _span(name, {"openinference.span.kind": "TOOL", "tool.name": name}) as span:
        yield span


def describe_call(span: "Span | None", result: LookupResult, *, with_query: bool) -> None:
    """Adds how the call ended, the id of its record and, unless it is private, the query."""
    if span is None:
        return
    _set(span, _outcome(result))
    if result.invocation_id is not None:
        span.set_attribute("lookup.invocation_id", result.invocation_id)
    if with_query:
        _set(span, {"input.value": result.query, "input.mime_type": "text/plain"})
    if result.error is not None and result.outcome == "error":
        _fail(span, result.error.message if with_query else result.error.code)


@contextmanager
def trace_lookup(*, with_query: bool) -> "Iterator[Span | None]":
    """A span around a whole lookup. Without `with_query` it and those inside it hold no query."""
    token = _with_query.set(with_query)
    try:
        with _span("lookup", {"openinference.span.kind": "RETRIEVER"}) as span:
            yield span
    finally:
        _with_query.reset(token)


def describe_lookup(span: "Span | None", result: LookupResult) -> None:
    """Adds query, outcome, filter, relevance and evidence blocks, without the notes' text."""
    if span is None:
        return
    _set(span, _outcome(result) | _query(result.query))
    _set(span, {"lookup.filter.applied": result.filter.applied})
    if result.filter.category is not None:
        span.set_attribute("lookup.filter.category", result.filter.category)
    blocks = result.evidence_blocks
    _set(span, _documents((block.source, block.score) for block in blocks))
    for position, block in enumerate(blocks[:DOCUMENTS]):
        layer = f'{{"retrieval_layer": "{block.retrieval_layer}"}}'
        span.set_attribute(f"retrieval.documents.{position}.document.metadata", layer)


def traced_l0(match: Callable[P, L0Hints]) -> Callable[P, L0Hints]:
    """`match` in a span `L0` that names the notes matched."""

    @functools.wraps(match)
    def run(*args: P.args, **kwargs: P.kwargs) -> L0Hints:
        with _span("L0", {"openinference.span.kind": "RETRIEVER"}) as span:
            hints = match(*args, **kwargs)
            if span is not None:
                _set(span, _query(str(args[0])))
                _set(span, _documents((m.source, None) for m in hints.matches))
                span.set_attribute("lookup.l0.domains", list(hints.domains))
            return hints

    return run


def traced_l1(ask: Callable[P, L1Outcome]) -> Callable[P, L1Outcome]:
    """`ask` in a span `L1` that names the passages found; an error when L1 broke."""

    @functools.wraps(ask)
    def run(*args: P.args, **kwargs: P.kwargs) -> L1Outcome:
        with _span("L1", {"openinference.span.kind": "RETRIEVER"}) as span:
            outcome = ask(*args, **kwargs)
            if span is not None:
                request: Any = args[1]
                _set(span, _query(request.query))
                _set(span, _documents((c.passage_id, c.cosine) for c in outcome.candidates))
                _set(span, {"lookup.l1.status": outcome.status, "lookup.l1.mode": outcome.mode})
                if outcome.error is not None:
                    # A message may quote what was asked.
                    _fail(span, outcome.error.message if _with_query.get() else outcome.error.code)
            return outcome

    return run


def _tracer() -> "Tracer | None":
    """None where nobody can be listening: who records spans has imported the API before."""
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return None
    from retrieval import __version__

    tracer: Tracer = trace.get_tracer("retrieval", __version__)
    return tracer


@contextmanager
def _span(name: str, attributes: Attributes) -> "Iterator[Span | None]":
    """The span, or None where it is not recorded."""
    tracer = _tracer()
    if tracer is None:
        yield None
        return
    with tracer.start_as_current_span(name, attributes=dict(attributes)) as span:
        yield span if span.is_recording() else None


def _outcome(result: LookupResult) -> dict[str, str | int | float | bool]:
    return {
        "lookup.outcome": result.outcome,
        "lookup.retrieval_layer": result.retrieval_layer or "none",
        "lookup.relevance.level": result.relevance.level,
        "lookup.relevance.confidence": result.relevance.confidence,
        "lookup.evidence_block_count": len(result.evidence_blocks),
    }


def _query(query: str) -> dict[str, str]:
    if not _with_query.get():
        return {}
    return {"input.value": query, "input.mime_type": "text/plain"}


def _documents(found: Iterable[tuple[str, float | None]]) -> dict[str, str | float]:
    attributes: dict[str, str | float] = {}
    for position, (source, score) in enumerate(found):
        if position == DOCUMENTS:
            break
        attributes[f"retrieval.documents.{position}.document.id"] = source
        if score is not None:
            attributes[f"retrieval.documents.{position}.document.score"] = score
    return attributes


def _set(span: "Span", attributes: Mapping[str, str | int | float | bool]) -> None:
    for name, value in attributes.items():
        # An exporter encodes text as UTF-8, which refuses halves of surrogate pairs.
        text = value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
        span.set_attribute(name, text)


def _fail(span: "Span", message: str) -> None:
    from opentelemetry.trace import Status, StatusCode

    span.set_status(Status(StatusCode.ERROR, message))
