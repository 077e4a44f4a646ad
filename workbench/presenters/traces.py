"""Recorded lookups as a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from workbench.presenters.markup import clip, visible

if TYPE_CHECKING:
    from retrieval.records import ToolInvocation

NOT_RECORDED = "(query not recorded)"
COLUMNS = ("Time", "Query", "Outcome", "Layer", "Blocks", "ms", "Caller")
SPANS = {
    "Any time": None,
    "Last hour": timedelta(hours=1),
    "Last 24 hours": timedelta(days=1),
    "Last 7 days": timedelta(days=7),
    "Last 30 days": timedelta(days=30),
}
"""How far back a list reaches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """The time zone in which times are shown."""

    zone: tzinfo
    name: str

    def show(self, time: datetime, *, date: bool = True) -> str:
        """Day and time of the day, to the second."""
        return time.astimezone(self.zone).strftime("%Y-%m-%d %H:%M:%S" if date else "%H:%M:%S")


def clock_of(name: str | None) -> Clock:
    """The clock of a time zone by its name; UTC for one that is not known."""
    try:
        return Clock(zone=ZoneInfo(name), name=name) if name else Clock(zone=UTC, name="UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return Clock(zone=UTC, name="UTC")


def trace_rows(traces: "Sequence[ToolInvocation]", clock: Clock) -> dict[str, list[str | float]]:
    """The records by column, in their order; a cell without a value is a dash or NaN."""
    rows: dict[str, list[str | float]] = {name: [] for name in COLUMNS}
    for trace in traces:
        blocks = trace.retrieval_details.get("evidence_blocks")
        rows["Time"].append(clock.show(trace.created_at))
        rows["Query"].append(show_query(trace.query))
        rows["Outcome"].append(trace.outcome.replace("_", " "))
        rows["Layer"].append(trace.retrieval_layer or "–")
        rows["Blocks"].append(len(blocks) if isinstance(blocks, list) else 0)
        rows["ms"].append(float("nan") if trace.latency_ms is None else round(trace.latency_ms))
        rows["Caller"].append(visible(trace.caller))
    return rows


def show_query(query: str | None, limit: int = 160) -> str:
    """The query on one line, or that there is none."""
    return NOT_RECORDED if query is None else clip(visible(" ".join(query.split())), limit)


def page_line(first: int, shown: int, total: int) -> str:
    """Which of how many records are on the page."""
    if not total:
        return "No recorded lookup fits."
    if shown == total:
        return f"{total:,} recorded {'lookup' if total == 1 else 'lookups'}"
    return f"{first:,}–{first + shown - 1:,} of {total:,} recorded lookups"


def waiting_line(waiting: int, why: str = "") -> str:
    """That records wait in the spool; empty when none does."""
    if not waiting:
        return ""
    noun = "lookup waits" if waiting == 1 else "lookups wait"
    text = f"{waiting:,} recorded {noun} in the spool file and will be stored later."
    return f"{text} {why}".strip()
