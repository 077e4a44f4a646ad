"""Recorded lookups: a page of them, one of them, and what waits to be stored."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from retrieval.errors import InvalidInput, RecordError
from retrieval.knowledge_base import KnowledgeBase
from retrieval.types import ErrorInfo, Layer, Outcome

if TYPE_CHECKING:
    from retrieval.records import ToolInvocation
    from retrieval.replay import Replay

PAGE_SIZE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which records are asked for; None and blank are any."""

    outcome: Outcome | None = None
    layer: Layer | Literal["none"] | None = None
    text: str = ""
    since: datetime | None = None
    until: datetime | None = None

    def conditions(self) -> dict[str, Any]:
        """As the record store takes them."""
        return {
            "outcome": self.outcome,
            "layer": self.layer,
            "text": self.text.strip() or None,
            "since": self.since,
            "until": self.until,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class TracePage:
    """Some of the records that fit, newest first."""

    traces: "tuple[ToolInvocation, ...]"
    total: int
    """Records that fit, on all pages."""
    number: int
    """1-based; moved into 1..`pages`."""
    waiting: int
    """Records in the spool, which are not among them."""
    warning: ErrorInfo | None = None
    """Why they wait."""

    @property
    def pages(self) -> int:
        """At least 1."""
        return max(1, -(-self.total // PAGE_SIZE))


def find_traces(base: KnowledgeBase, wanted: Wanted, number: int = 1) -> TracePage:
    """One page of the records that fit.

    What waits in the spool is stored first, as far as the database takes it. Raises `RecordError`
    when the database cannot be read.
    """
    store = base.records()
    warning = None
    try:
        store.flush_spool()
    except RecordError as error:
        warning = error.info()
    conditions = wanted.conditions()
    total = store.count(**conditions)
    number = min(max(1, number), max(1, -(-total // PAGE_SIZE)))
    found = store.list(PAGE_SIZE, offset=(number - 1) * PAGE_SIZE, **conditions)
    return TracePage(
        traces=tuple(found),
        total=total,
        number=number,
        waiting=store.waiting(),
        warning=warning,
    )


def count_waiting(base: KnowledgeBase) -> int:
    """Records in the spool; also when the database cannot be read."""
    try:
        return base.records().waiting()
    except RecordError:
        return 0


def read_trace(base: KnowledgeBase, id: str) -> "ToolInvocation":
    """The record with this id. Raises `InvalidInput` without one, and `RecordError`."""
    return base.records().get(id)


def replay_traces(base: KnowledgeBase, ids: Iterable[str]) -> "Replay":
    """The records run again on the knowledge base as it is now, in the order given.

    Raises `InvalidInput` for a record that is gone, and `RecordError`.
    """
    from retrieval.replay import replay

    return replay(base, [read_trace(base, id) for id in ids])


def queries_to_label(
    base: KnowledgeBase, ids: Iterable[str]
) -> "tuple[tuple[ToolInvocation, ...], int]":
    """The records whose query can be judged, one for each query, and how many cannot.

    Records without a query, of a refused one, or that are gone meanwhile cannot; of those with the
    same folded query the first stands for all.
    """
    from retrieval.text import fold, is_blank

    found: dict[str, ToolInvocation] = {}
    unusable = 0
    for id in ids:
        try:
            trace = base.records().get(id)
        except InvalidInput:
            unusable += 1
            continue
        if trace.query is None or is_blank(trace.query):
            unusable += 1
        else:
            found.setdefault(fold(trace.query), trace)
    return tuple(found.values()), unusable
