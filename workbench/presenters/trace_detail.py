"""One recorded lookup as HTML, from the record alone: what is shown is what was recorded.

A record of another version may lack any part; what is not there is left out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from workbench.presenters.markup import chip, highlight, joined, tag
from workbench.presenters.traces import NOT_RECORDED, Clock

if TYPE_CHECKING:
    from retrieval.records import ToolInvocation

OUTCOME_TONES = {
    "evidence": "good",
    "fallback": "warn",
    "no_evidence": "",
    "refused": "bad",
    "error": "bad",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceView:
    """The parts of one record, escaped."""

    headline: Markup
    """Query with its matched words marked, outcome, layer, time."""
    error: str
    """Empty without one; plain text."""
    hints: Markup
    decision: Markup
    evidence: tuple[Markup, ...]
    """A card for each block."""
    facts: tuple[tuple[str, str], ...]
    """Name and value of the call, its counts, timings and fingerprint; plain text."""


def present_trace(trace: "ToolInvocation", clock: Clock) -> TraceView:
    """The record as it is to be drawn."""
    details = trace.retrieval_details
    hints = _part(details, "l0_hints")
    return TraceView(
        headline=_headline(trace, hints, clock),
        error=_error(trace.error),
        hints=_hints(hints),
        decision=_decision(_part(details, "filter"), _part(details, "l1")),
        evidence=tuple(block_card(rank, block) for rank, block in enumerate(blocks_of(trace), 1)),
        facts=_facts(trace, details),
    )


def blocks_of(trace: "ToolInvocation") -> list[Mapping[str, Any]]:
    """The recorded blocks, in order."""
    blocks = trace.retrieval_details.get("evidence_blocks") or []
    return [block for block in blocks if isinstance(block, Mapping)]


def block_card(rank: int, block: Mapping[str, Any]) -> Markup:
    """A recorded block: title, source, layer, cosine, reasons and the recorded preview."""
    score = block.get("score")
    reasons = [tag("li", str(reason)) for reason in block.get("hit_reasons") or []]
    marks: list[Markup] = [layer_chip(block.get("retrieval_layer"))]
    if isinstance(score, int | float):
        marks.append(chip(f"cosine {score:.2f}"))
    return tag(
        "div",
        tag(
            "div",
            tag("span", str(rank), css="kt-rank"),
            tag("span", str(block.get("title") or block.get("source") or ""), css="kt-name"),
            tag("span", *marks, css="kt-marks"),
            css="kt-card-head",
        ),
        tag("div", str(block.get("source") or ""), css="kw-muted kt-small kt-source"),
        tag("div", str(block.get("preview") or ""), css="kt-preview"),
        tag("ul", *reasons, css="kt-reasons") if reasons else Markup(),
        css="kt-card",
    )


def layer_chip(layer: Any) -> Markup:
    """The layer as a small label."""
    return chip(str(layer or "no layer"), tone="accent" if "L1" in str(layer) else "")


def outcome_chip(outcome: str) -> Markup:
    """The outcome as a small label in its colour."""
    return chip(outcome.replace("_", " "), tone=OUTCOME_TONES.get(outcome, ""))


def _headline(trace: "ToolInvocation", hints: Mapping[str, Any], clock: Clock) -> Markup:
    if trace.query is None:
        query: str | Markup = NOT_RECORDED
    else:
        hits = [hit for match in hints.get("matches") or [] for hit in match.get("hits") or []]
        spans = [(h["start"], h["end"]) for h in hits if _is_span(h)]
        query = highlight(trace.query, spans)
    return tag(
        "div",
        tag("div", query, css="kt-query"),
        tag(
            "div",
            outcome_chip(trace.outcome),
            layer_chip(trace.retrieval_layer),
            tag("span", f"{clock.show(trace.created_at)} {clock.name}", css="kw-muted kt-small"),
        ),
    )


def _hints(hints: Mapping[str, Any]) -> Markup:
    rows = []
    for name in ("titles", "keywords", "domains", "entities"):
        terms = [str(term) for term in hints.get(name) or []]
        if terms:
            tone = "accent" if name == "domains" else ""
            chips = [chip(term, tone=tone) for term in terms]
            rows.append(joined([tag("dt", name.capitalize()), tag("dd", *chips)]))
    matches = hints.get("matches_total") or 0
    near = hints.get("near_matches") or []
    line = f"{matches} {'note' if matches == 1 else 'notes'} matched by words"
    if near:
        line += f", {len(near)} near"
    return joined([tag("div", line, css="kw-muted kt-small"), tag("dl", *rows, css="kt-facts")])


def _decision(decision: Mapping[str, Any], l1: Mapping[str, Any]) -> Markup:
    parts: list[Markup] = []
    if reason := str(decision.get("reason") or ""):
        parts.append(tag("p", reason))
    if conditions := decision.get("conditions"):
        shown = "; ".join(
            f"{c.get('key')} {c.get('op')} {', '.join(map(str, c.get('values') or []))}"
            for c in conditions
            if isinstance(c, Mapping)
        )
        parts.append(tag("p", f"Asked for by the caller: {shown}."))
    if shadow := shadow_sentence(decision):
        parts.append(tag("p", shadow))
    if status := l1.get("status"):
        found = l1.get("candidates") or 0
        text = f"L1 ({l1.get('mode')}): {status}, {found} passages."
        parts.append(tag("p", text, css="" if status == "ok" else "kt-warn"))
    return joined(parts or [tag("p", "No decision was recorded.", css="kw-muted")])


def shadow_sentence(decision: Mapping[str, Any]) -> str:
    """What the request without the filter found; empty when none was made."""
    shadow = decision.get("shadow")
    if not isinstance(shadow, Mapping) or decision.get("category") is None:
        return ""
    source, rank = shadow.get("best_source_outside"), shadow.get("best_rank_outside")
    if not shadow.get("outside") or source is None:
        return "Without the filter nothing else would have come up."
    text = f"Without the filter, {source} would be at rank {rank}"
    inside, outside = shadow.get("best_cosine_inside"), shadow.get("best_cosine_outside")
    if inside is not None and outside is not None:
        text += f" (cosine {outside:.2f}; best inside {inside:.2f})"
    relaxed = decision.get("relaxed") or 0
    if relaxed:
        text += f"; {relaxed} {'block was' if relaxed == 1 else 'blocks were'} let in past it"
    return text + "."


def _facts(trace: "ToolInvocation", details: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    counts, mark = _part(details, "counts"), _part(details, "fingerprint")
    dropped = _part(counts, "dropped")
    relevance = _part(details, "relevance")
    facts: list[tuple[str, Any]] = [
        ("Id", trace.id),
        ("Called by", trace.caller),
        ("Session", trace.session_id),
        ("Arguments", _pairs(trace.arguments)),
        ("Relevance", relevance.get("reason")),
        ("Candidates", counts.get("candidate_count")),
        ("Merged", counts.get("merged")),
        ("Dropped", _pairs(dropped) or ("0" if counts else None)),
        ("Blocks", counts.get("evidence_block_count")),
        ("Latency", None if trace.latency_ms is None else f"{trace.latency_ms:.1f} ms"),
        ("Settings", mark.get("config")),
        ("Index", mark.get("index")),
        ("Embedder", mark.get("embedding")),
    ]
    return tuple((name, str(value)) for name, value in facts if value not in (None, ""))


def _error(error: Mapping[str, Any] | None) -> str:
    if not error:
        return ""
    return " ".join(str(error.get(key) or "") for key in ("message", "next_action")).strip()


def _pairs(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in values.items())


def _part(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = data.get(name)
    return part if isinstance(part, Mapping) else {}


def _is_span(hit: Any) -> bool:
    return (
        isinstance(hit, Mapping)
        and isinstance(hit.get("start"), int)
        and isinstance(hit.get("end"), int)
    )
