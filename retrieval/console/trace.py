"""Records of invocations for a terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from retrieval.console.page import Page
from retrieval.types import Json

if TYPE_CHECKING:
    from retrieval.records import ToolInvocation

ID_SHOWN = 8


def show_trace_list(traces: Sequence[ToolInvocation], page: Page) -> None:
    """Write one line for each record: id, time, outcome, layer, milliseconds, query.

    A query that does not fit into the line is cut; `show_trace` and JSON have all of it.
    """
    if not traces:
        page.line("No record fits.")
        return
    page.line((f"{'id':<8}  {'time (UTC)':<19}  {'outcome':<11}  layer      ms  query", "dim"))
    for trace in traces:
        page.row(
            (trace.id[:ID_SHOWN], "cyan"),
            f"  {trace.created_at:%Y-%m-%d %H:%M:%S}  {trace.outcome:<11}"
            f"  {trace.retrieval_layer or '–':<5}  {_ms(trace):>6}  {_query(trace)}",
        )


def show_trace(trace: ToolInvocation, page: Page) -> None:
    """Write one record: the call, what L0 knew, how L1 ended, and the evidence."""
    page.line((_query(trace), "bold"))
    layer = trace.retrieval_layer or "no layer"
    page.line(f"{trace.outcome} · {layer} · {_ms(trace)} ms")
    page.line(f"{trace.id}  {trace.created_at:%Y-%m-%d %H:%M:%S} UTC", hang=2)
    session = f", session {trace.session_id}" if trace.session_id else ""
    page.line(f"{trace.tool_name} called by {trace.caller}{session}", hang=2)
    if trace.arguments:
        page.line(f"arguments: {_compact(trace.arguments)}", hang=2)
    if trace.error:
        page.line(("error: ", "bold red"), _compact(trace.error), hang=2)
    details = trace.retrieval_details
    for name in ("l0_hints", "filter", "l1", "counts", "relevance", "timings_ms", "fingerprint"):
        part = details.get(name)
        if isinstance(part, Mapping):
            page.heading(name)
            for key, value in part.items():
                page.line(f"{key}: {_compact(value)}", indent=2, hang=2)
    blocks = details.get("evidence_blocks") or []
    if blocks:
        page.heading("evidence_blocks")
    for rank, block in enumerate(blocks, 1):
        _show_block(rank, block, page)


def _show_block(rank: int, block: Mapping[str, Json], page: Page) -> None:
    score = block.get("score")
    page.line(
        f"{rank:>2}. ",
        (str(block.get("source")), "cyan"),
        f"  {block.get('title') or ''}  {block.get('retrieval_layer')}"
        f"{'' if score is None else f'  cosine {score:.2f}'}",
        hang=4,
    )
    for reason in block.get("hit_reasons") or []:
        page.line(str(reason), indent=4, hang=2)
    if block.get("preview"):
        page.line((str(block["preview"]), "dim"), indent=4)


def _ms(trace: ToolInvocation) -> str:
    return "–" if trace.latency_ms is None else f"{trace.latency_ms:.1f}"


def _query(trace: ToolInvocation) -> str:
    return "(query not recorded)" if trace.query is None else " ".join(trace.query.split())


def _compact(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
