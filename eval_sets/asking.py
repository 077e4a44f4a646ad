"""Every query asked of one knowledge base, each with a row, whatever happens."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from eval_sets.rows import failed_row, row_of
from eval_sets.types import Case, Row
from retrieval.faults import Fault
from retrieval.hints import L0Index
from retrieval.knowledge_base import KnowledgeBase
from retrieval.relevance import query_coverage
from retrieval.types import L0Hints, LookupResult

if TYPE_CHECKING:
    from retrieval.records import InvocationStore

Progress = Callable[[str, int, int], None]
"""Called with what is done, how much of it, and how much there is."""

_HINTS = ("titles", "keywords", "domains", "entities")
_CUT = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How the queries are asked."""

    variant: str
    depth: int
    """Blocks to retrieve, besides one for each source that a case excludes."""
    keep_top_k: bool = False
    """True when the settings' own `top_k` is what is to be measured."""
    fault: Fault | None = None
    workers: int = 1


def ask_all(
    base: KnowledgeBase,
    cases: Sequence[Case],
    asking: Asking,
    *,
    progress: Progress | None = None,
) -> tuple[Row, ...]:
    """One row a case, in order; a lookup that raised is a row with status `failed`.

    Nothing is recorded, and no budget trims the blocks. `progress` hears of each query.
    """
    l0 = L0Index(base.entries)

    def ask(case: Case) -> Row:
        started = time.perf_counter()
        try:
            result = base.lookup(case.query, **_options(case, asking))
        except Exception as error:  # noqa: BLE001 - a harness row: a crash is data, not an abort
            return failed_row(case, asking.variant, error, latency_ms=_since(started))
        return _row(case, asking, result, l0, latency_ms=_since(started))

    return _each(ask, cases, asking, progress)


def ask_and_record(
    base: "RecordedApart",
    cases: Sequence[Case],
    asking: Asking,
    *,
    progress: Progress | None = None,
) -> tuple[Row, ...]:
    """`ask_all` through `lookup_knowledge`, with `hints_recorded` read back from the records."""
    from retrieval.tools.lookup import lookup_knowledge

    l0 = L0Index(base.entries)
    asked: dict[str, tuple[str | None, L0Hints]] = {}

    def ask(case: Case) -> Row:
        started = time.perf_counter()
        try:
            result = lookup_knowledge(case.query, kb=base, caller="eval", **_options(case, asking))
        except Exception as error:  # noqa: BLE001 - a harness row: a crash is data, not an abort
            return failed_row(case, asking.variant, error, latency_ms=_since(started))
        asked[case.id] = (result.invocation_id, result.l0_hints)
        return _row(case, asking, result, l0, latency_ms=_since(started))

    rows = _each(ask, cases, asking, progress)
    details = base.recorded_details()
    return tuple(
        replace(row, hints_recorded=holds_hints(details.get(key or "", {}), hints))
        for row in rows
        for key, hints in (asked.get(row.case_id, (None, L0Hints())),)
    )


def holds_hints(details: Mapping[str, Any], hints: L0Hints) -> bool:
    """True when recorded details hold the titles, keywords, domains and entities of the hints.

    The record may cut long lists and long texts, but it never empties a list.
    """
    stored = details.get("l0_hints")
    return isinstance(stored, Mapping) and all(
        _holds(stored.get(name, ()), getattr(hints, name)) for name in _HINTS
    )


class RecordedApart(KnowledgeBase):
    """A knowledge base that records into a folder of its own, not among its users' records."""

    apart: "InvocationStore"

    def records(self) -> "InvocationStore":
        return self.apart

    def recorded_details(self) -> dict[str, Mapping[str, Any]]:
        """Invocation id → its stored `retrieval_details`."""
        self.apart.flush_spool()
        return {row.id: row.retrieval_details for row in self.apart.list(limit=None)}


@contextmanager
def recorded_apart(open_base: Callable[[Path], RecordedApart]) -> Iterator[RecordedApart]:
    """The knowledge base that `open_base` opens, with a new SQLite database for its records.

    `open_base` is given an empty folder that is removed afterwards, for state that is to start
    empty.
    """
    from retrieval.records import InvocationStore

    with TemporaryDirectory(prefix="lookup-eval-") as name:
        folder = Path(name)
        with open_base(folder / "state") as base:
            base.apart = InvocationStore(folder / "records.sqlite3", folder / "spool.jsonl")
            try:
                yield base
            finally:
                base.apart.close()


def _options(case: Case, asking: Asking) -> dict[str, Any]:
    if asking.keep_top_k:
        return {"fault": asking.fault}
    return {"fault": asking.fault, "top_k": asking.depth + len(case.exclude)}


def _row(
    case: Case,
    asking: Asking,
    result: LookupResult,
    l0: L0Index,
    *,
    latency_ms: float,
) -> Row:
    primary = result.primary
    coverage = query_coverage(case.query, primary, l0.headlines.rarity) if primary else None
    overlap = l0.overlap(case.query, primary.source) if primary else None
    return row_of(
        case, asking.variant, result, coverage=coverage, overlap=overlap, latency_ms=latency_ms
    )


def _each(
    ask: Callable[[Case], Row], cases: Sequence[Case], asking: Asking, progress: Progress | None
) -> tuple[Row, ...]:
    rows: list[Row] = []
    with ThreadPoolExecutor(asking.workers, thread_name_prefix="eval") as pool:
        for row in pool.map(ask, cases):
            rows.append(row)
            if progress is not None:
                progress(asking.variant, len(rows), len(cases))
    return tuple(rows)


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 3)


def _holds(stored: Sequence[str], given: Sequence[str]) -> bool:
    if bool(stored) != bool(given) or len(stored) > len(given):
        return False
    return all(
        whole.startswith(kept.removesuffix(_CUT))
        for kept, whole in zip(stored, given, strict=False)
    )
