"""What the stages before the merge hand on: L0 hints, filter decision, L1 outcome."""

from dataclasses import dataclass

from retrieval.types.literals import (
    FilterMode,
    FilterOperator,
    FilterOrigin,
    L1Mode,
    L1Status,
    TermField,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TermHit:
    """One term of a note found in the query."""

    term: str
    """As the author wrote it."""
    field: TermField
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class L0Match:
    """A note of which at least one title, keyword or entity stands in the query."""

    source: str
    title: str
    categories: tuple[str, ...]
    hits: tuple[TermHit, ...]
    score: float
    """Graded overlap with the query plus the strength of the hits; higher is better."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMatch:
    """A note that shares words with the query but is no match; it never routes."""

    source: str
    title: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class L0Hints:
    """What L0 knows about the query. `domains` are counted over all matches, before the cap."""

    matches: tuple[L0Match, ...] = ()
    matches_total: int = 0
    titles: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    near_matches: tuple[NearMatch, ...] = ()
    category_hits: tuple[TermHit, ...] = ()
    """Category names that stand in the query: they add a domain, never a match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One condition of a caller: the note's `key` must stand in relation `op` to `values`.

    Both sides are compared as folded text. A note with several values satisfies `eq` and `in`
    when one of them fits, `ne` and `nin` when none does.
    """

    key: str
    op: FilterOperator
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterDecision:
    """Which category the L1 request is limited to, on whose account, and why."""

    mode: FilterMode
    category: str | None = None
    """The category derived from L0, as an author wrote it; None when nothing was derived."""
    conditions: tuple[Condition, ...] = ()
    """The caller's own filters: they hold everywhere and are never relaxed."""
    reason: str = ""

    @property
    def applied(self) -> bool:
        return self.category is not None or bool(self.conditions)

    @property
    def origin(self) -> FilterOrigin | None:
        if self.category is not None:
            return "l0+caller" if self.conditions else "l0"
        return "caller" if self.conditions else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One passage that L1 found, or that full text found where it orders a fallback.

    `score` is the fused rank score of the passage's note within its request, comparable only
    inside that request. `cosine` is None where no vector was compared.
    """

    passage_id: str
    source: str
    score: float
    cosine: float | None = None
    dense_rank: int | None = None
    """1-based position among the passages of the dense request."""
    fulltext_score: float | None = None
    """BM25 of the passage."""
    fulltext_rank: int | None = None
    terms: tuple[str, ...] = ()
    """Query words, as BM25 saw them, that stand in the passage."""
    relaxed: bool = False
    """Found by the shadow request only, and let in past the derived filter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorInfo:
    """An error as data."""

    code: str
    message: str
    next_action: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shadow:
    """What the same request would have found without the derived filter."""

    candidates: int
    """Passages that the unfiltered request found."""
    outside: int
    """Of these, passages of notes outside the category."""
    best_cosine_inside: float | None = None
    best_cosine_outside: float | None = None
    best_source_outside: str | None = None
    best_rank_outside: int | None = None
    """1-based rank, by note, of the best note outside the category in the unfiltered ranking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class L1Request:
    """What L1 is asked. `decision.category` limits it; so do the caller's conditions."""

    query: str
    mode: L1Mode
    decision: FilterDecision
    relax_margin: float
    semantic_floor: float


@dataclass(frozen=True, slots=True, kw_only=True)
class L1Outcome:
    """How the semantic request ended. Candidates stand best first.

    `ok` has candidates that the filter admits; `empty` has at most relaxed ones; no other status
    has any.
    """

    status: L1Status
    mode: L1Mode
    attempted: bool
    candidates: tuple[Candidate, ...] = ()
    extra: tuple[Candidate, ...] = ()
    """Full-text finds that may order and extend an L0 fallback; never L1 evidence."""
    error: ErrorInfo | None = None
    shadow: Shadow | None = None
    embedder_fits: bool = True
    """False when the query is in a script that the embedder was not trained on."""
