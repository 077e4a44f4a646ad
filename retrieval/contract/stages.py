"""The stages of a lookup in the JSON contract: hints, filter, L1, and errors as data."""

from typing_extensions import TypedDict

from retrieval.types import FilterMode, FilterOperator, FilterOrigin, L1Mode, L1Status, TermField


class ErrorDict(TypedDict):
    """An error or a warning."""

    code: str
    """Stable, for programs; all of them stand in the tables of codes."""
    message: str
    """What happened, for people."""
    next_action: str
    """What to do about it; may be empty."""


class HitDict(TypedDict):
    """A term of a note that stands in the query."""

    term: str
    """As the author wrote it."""
    field: TermField
    """What the term is in its note."""
    start: int
    """Where it begins in the query, in characters from 0."""
    end: int
    """Where it ends: the offset after its last character."""


class MatchDict(TypedDict):
    """A note that L0 matched."""

    source: str
    """The note: its path below the knowledge root, with forward slashes."""
    title: str
    """Title of the note."""
    categories: list[str]
    """Its categories, the first one being `category` elsewhere."""
    score: float
    """Graded overlap with the query plus the strength of the hits; higher is better."""
    hits: list[HitDict]
    """The terms that matched."""


class NearMatchDict(TypedDict):
    """A note that shares words with the query but is no match; it is no hint and never filters."""

    source: str
    """The note."""
    title: str
    """Title of the note."""
    score: float
    """Graded overlap with the query; higher is better."""
    reason: str
    """Why it is near, and why it is no match."""


class HintsDict(TypedDict):
    """What L0 knows about the query."""

    matches: list[MatchDict]
    """The best matches, at most 50; at most 10 where a budget was too small."""
    matches_total: int
    """Number of all matches."""
    titles: list[str]
    """Titles that stand in the query."""
    keywords: list[str]
    """Keywords that stand in the query."""
    domains: list[str]
    """Distinct categories of all matches, and those that the query names."""
    entities: list[str]
    """Entities that stand in the query."""
    near_matches: list[NearMatchDict]
    """The best near matches, at most 10; none where a budget was too small."""


class ShadowDict(TypedDict):
    """What the L1 request would have found without the derived filter."""

    candidates: int
    """Passages that it found."""
    outside: int
    """Of these, passages of notes outside the category."""
    best_cosine_inside: float | None
    """Best cosine inside the category; null without one."""
    best_cosine_outside: float | None
    """Best cosine outside the category; null without one."""
    best_source_outside: str | None
    """The best note outside the category; null without one."""
    best_rank_outside: int | None
    """Its rank among the notes, from 1."""


class ConditionDict(TypedDict):
    """One of the caller's own filters. It holds everywhere and is never relaxed."""

    key: str
    """Field of the frontmatter, or `category`, `source`, …"""
    op: FilterOperator
    """`eq` and `in`: one of the note's values fits; `ne` and `nin`: none does."""
    values: list[str]
    """What the field is compared with, folded."""


class FilterDict(TypedDict):
    """What the L1 request was limited to, and why."""

    applied: bool
    """True when the request was limited by anything."""
    category: str | None
    """The category that L0 derived; null when it derived none."""
    conditions: list[ConditionDict]
    """The caller's own filters."""
    origin: FilterOrigin | None
    """On whose account it was limited; null when it was not."""
    reason: str
    """Why, in one sentence."""
    mode: FilterMode
    """The filter mode of this lookup."""
    shadow: ShadowDict | None
    """Null when no second request was made."""
    relaxed: int
    """Evidence blocks that were let in past the derived filter."""


class L1Dict(TypedDict):
    """How the semantic request ended."""

    status: L1Status
    """`ok` alone has candidates that count as semantic evidence."""
    mode: L1Mode
    """How L1 was to search."""
    attempted: bool
    """False when it was not asked: switched off, without an index, or paused."""
    error: ErrorDict | None
    """Why it failed; null when it did not."""
    candidates: int
    """Passages that it found."""
