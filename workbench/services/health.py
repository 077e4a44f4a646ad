"""Whether the index is there and up to date with the notes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from retrieval.knowledge_base import KnowledgeBase
from retrieval.staleness import count_stale
from workbench.presenters.numbers import counted

IndexState = Literal["ready", "stale", "missing", "unusable"]
Progress = Callable[[float, str], object]
"""Called with a share of 0..1 and what is being done."""

_STAGES = {"load": "Reading notes", "embed": "Embedding passages"}


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexHealth:
    """The state of the index in words."""

    state: IndexState
    short: str
    """For a line in the margin."""
    message: str = ""
    """What that means for a lookup, and what to do; empty when the index is ready."""
    action: str = ""
    """What a button that mends it says."""


def check_index(base: KnowledgeBase) -> IndexHealth:
    """The state of the index now; opens notes and index if nobody did before."""
    if base.fingerprint.index is not None:
        stale = count_stale(base.settings, base.location)
        if not stale:
            return IndexHealth(state="ready", short="Index up to date")
        what = counted(stale, "note")
        return IndexHealth(
            state="stale",
            short=f"{what} changed since indexing",
            message=f"{what} changed since the index was built; answers show the notes as they "
            "were then.",
            action="Update index",
        )
    if base.has_index():
        return IndexHealth(
            state="unusable",
            short="Index cannot be used",
            message="The index cannot be used with these settings, or is damaged; only words are "
            "looked up.",
            action="Build index",
        )
    return IndexHealth(
        state="missing",
        short="No index",
        message="There is no index yet; only words are looked up, nothing by meaning.",
        action="Build index",
    )


def build_index(base: KnowledgeBase, progress: Progress) -> str:
    """Brings the index up to date and says what changed, in one sentence.

    Raises `IndexLocked` while another process builds, `EmbeddingError` when the model fails.
    """

    def tell(stage: str, done: int, total: int) -> None:
        share = done / total if total else 1.0
        progress(min(share, 1.0), f"{_STAGES.get(stage, stage)}: {done} of {total}")

    report = base.reindex(progress=tell)
    changes = [
        f"{number} {name}"
        for number, name in (
            (report.added, "added"),
            (report.updated, "updated"),
            (report.deleted, "deleted"),
            (len({issue.source for issue in report.report.errors}), "unreadable"),
        )
        if number
    ]
    return f"Index built: {', '.join(changes) or 'nothing changed'}."
