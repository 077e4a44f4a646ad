"""What would bring a note in: lookups with one option changed, run, not guessed."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from retrieval.errors import InvalidInput
from retrieval.knowledge_base import KnowledgeBase
from retrieval.options import MOST_BLOCKS
from retrieval.why.following import UNBOUNDED, Followed, best_cosine
from retrieval.why.types import Remedy, Stage

Change = Mapping[str, Any]


def find_remedies(
    kb: KnowledgeBase,
    query: str,
    note: Followed,
    stages: Sequence[Stage],
    options: Mapping[str, Any],
) -> tuple[Remedy, ...]:
    """The changes that fit the stage that lost the note, each with the rank that it gives."""
    lost = next((stage.name for stage in stages if stage.state == "lost"), None)
    whole = {"budget": UNBOUNDED, "top_k": MOST_BLOCKS}
    found = []
    for change in _changes(note, lost):
        try:
            # The caller's own filters stay in every one of these lookups.
            result = kb.lookup(query, **{**options, **whole, **change})
        except InvalidInput:
            continue
        sources = [block.source for block in result.evidence_blocks]
        source = note.entry.source
        rank = sources.index(source) + 1 if source in sources else None
        top_k = change.get("top_k", note.options.top_k)
        text = _say(change, rank, top_k)
        helps = rank is not None and rank <= top_k
        found.append(Remedy(change=dict(change), rank=rank, helps=helps, text=text))
    return tuple(sorted(found, key=lambda remedy: (remedy.rank is None, remedy.rank or 0)))


def _changes(note: Followed, lost: str | None) -> Iterator[Change]:
    options, rank = note.options, note.rank
    filtered = note.full.filter.category is not None
    if lost == "top_k" and rank is not None and rank <= MOST_BLOCKS:
        yield {"top_k": rank}
    if lost == "budget":
        yield {"budget": UNBOUNDED}
    if lost == "min_score":
        best = best_cosine(note.candidates)
        yield {"min_score": math.floor((best or 0.0) * 100) / 100}
    if lost in ("derived_filter", "top_k", "l1") and filtered:
        yield {"filter_mode": "off"}
    if lost == "l0":
        if options.mode == "l0":
            yield {"mode": "l0+l1"}
        if options.fault is not None:
            yield {"fault": None}
    if lost == "l1":
        yield from ({"l1_mode": m} for m in ("hybrid", "dense", "fulltext") if m != options.l1_mode)
        if options.mode == "l1":
            yield {"mode": "l0+l1"}


def _say(change: Change, rank: int | None, top_k: int) -> str:
    (name, value), *_ = change.items()
    setting = f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
    if name == "fault":
        setting = "L1 working"
    if name == "budget":
        setting = "no budget"
    if rank is None:
        return f"Even with {setting} nothing finds it."
    if rank > top_k:
        return f"With {setting} it is at rank {rank}, still beyond the {top_k} of the answer."
    return f"With {setting} it is at rank {rank}."
