"""All that was measured about one note in one lookup, and a request to L1 for that note alone."""

from dataclasses import dataclass

from retrieval.errors import RetrievalError
from retrieval.lookup import OPENING_SECONDS, View
from retrieval.options import LookupOptions
from retrieval.types import (
    Candidate,
    Condition,
    Entry,
    EvidenceBlock,
    FilterDecision,
    L0Hints,
    L1Outcome,
    L1Request,
    LookupResult,
)
from retrieval.worker import TimeLimit

UNBOUNDED = 10**9
"""A budget that no answer reaches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """One note in one lookup."""

    entry: Entry
    view: View
    options: LookupOptions
    full: LookupResult
    """The lookup without a budget."""
    answer: LookupResult
    """The same within the caller's budget."""
    ranking: tuple[EvidenceBlock, ...]
    """All blocks of the merge, those beyond `top_k` included."""
    own: L0Hints
    """What L0 says of this note alone, without any cap."""
    alone: tuple[Candidate, ...]
    """The note's passages in a request to L1 for this note alone; empty when L1 cannot be asked."""

    @property
    def rank(self) -> int | None:
        """1-based place in the ranking."""
        sources = [block.source for block in self.ranking]
        return sources.index(self.entry.source) + 1 if self.entry.source in sources else None

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The note's passages among L1's candidates."""
        return tuple(c for c in self.full.l1.candidates if c.source == self.entry.source)

    @property
    def extra(self) -> tuple[Candidate, ...]:
        """The note's passages among the full-text finds of a fallback."""
        return tuple(c for c in self.full.l1.extra if c.source == self.entry.source)

    @property
    def cosine(self) -> float | None:
        """The best cosine of the note's passages with the query, found or not."""
        return best_cosine((*self.candidates, *self.alone))


def best_cosine(candidates: tuple[Candidate, ...]) -> float | None:
    """The highest cosine, None when no vector was compared."""
    return max((c.cosine for c in candidates if c.cosine is not None), default=None)


def ask_alone(
    query: str, entry: Entry, view: View, options: LookupOptions, l1: L1Outcome
) -> tuple[Candidate, ...]:
    """The note's own passages with their cosine and BM25, where the lookup's L1 answered.

    A request that fails gives none: the lookup itself stands.
    """
    retriever = view.retriever
    if retriever is None or l1.status not in ("ok", "empty") or options.fault is not None:
        return ()
    itself = Condition(key="source", op="eq", values=(entry.source,))
    request = L1Request(
        query=query,
        mode=options.l1_mode,
        decision=FilterDecision(mode="off", conditions=(*options.conditions, itself)),
        relax_margin=options.relax_margin,
        semantic_floor=view.semantic_floor,
    )
    limit: TimeLimit[L1Outcome] = TimeLimit()
    try:
        found = limit.run(
            lambda: retriever.retrieve(request), options.l1_timeout + OPENING_SECONDS
        ).candidates
    except (RetrievalError, TimeoutError, OSError, ValueError):
        return ()
    return tuple(candidate for candidate in found if candidate.source == entry.source)
