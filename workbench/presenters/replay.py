"""What a replay changed, as cards: the answer then, the answer now, and why they may differ."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from markupsafe import Markup

from workbench.presenters.markup import chip, joined, tag
from workbench.presenters.trace_detail import outcome_chip
from workbench.presenters.traces import Clock, show_query

if TYPE_CHECKING:
    from retrieval.replay import Replay, Replayed

LABELS: Mapping[str, tuple[str, str]] = {
    "same": ("same answer", "good"),
    "reordered": ("other order", "warn"),
    "changed": ("other notes", "warn"),
    "outcome_changed": ("other outcome", "bad"),
    "not_replayed": ("not replayed", ""),
}
_PARTS = {"config": "settings", "index": "index", "embedding": "embedder"}


def summary_line(replay: "Replay") -> str:
    """How many calls ended in which way; plain text."""
    counts = {label: replay.count(status) for status, (label, _) in LABELS.items()}  # type: ignore[arg-type]
    shown = [f"{label}: {count:,}" for label, count in counts.items() if count]
    return " · ".join(shown)


def replay_card(call: "Replayed", clock: Clock) -> Markup:
    """One call, then and now."""
    label, tone = LABELS[call.status]
    return tag(
        "div",
        tag(
            "div",
            tag("span", show_query(call.query), css="kt-name"),
            tag("span", chip(label, tone=tone), css="kt-marks"),
            css="kt-card-head",
        ),
        tag("div", f"{clock.show(call.created_at)} {clock.name}", css="kw-muted kt-small"),
        tag("div", call.reason) if call.reason else _sides(call),
        css="kt-card",
    )


def changed_parts(call: "Replayed") -> tuple[str, ...]:
    """Which of settings, index and embedder are others than when it was recorded."""
    if call.fingerprint_now is None:
        return ()
    return tuple(
        name
        for part, name in _PARTS.items()
        if call.fingerprint.get(part) != getattr(call.fingerprint_now, part)
    )


def _sides(call: "Replayed") -> Markup:
    rows: list[Markup] = []
    if call.outcome != call.outcome_now:
        now = outcome_chip(call.outcome_now or "")
        rows.append(_row("Outcome", joined([outcome_chip(call.outcome), " → ", now])))
    if call.primary != call.primary_now:
        rows.append(_row("Primary", f"{call.primary or 'none'} → {call.primary_now or 'none'}"))
    if call.gained:
        rows.append(_row("Came in", ", ".join(call.gained)))
    lost = [s + (" (no note any more)" if s in call.vanished else "") for s in call.lost]
    if lost:
        rows.append(_row("Fell out", ", ".join(lost)))
    if call.moved:
        rows.append(_row("Renamed", ", ".join(f"{m.source} → {m.now}" for m in call.moved)))
    parts = changed_parts(call)
    if call.status != "same" or parts:
        text = (
            f"{', '.join(parts)} changed since" if parts else "nothing: the same settings and index"
        )
        rows.append(_row("Because", text))
    if call.partial:
        rows.append(_row("Compared", "the first notes only: the record was shortened"))
    return tag("dl", *rows, css="kt-facts") if rows else Markup()


def _row(name: str, value: str | Markup) -> Markup:
    return joined([tag("dt", name), tag("dd", value)])
