"""Evidence in the JSON contract: blocks, their reasons and passages, counts, relevance."""

from typing import Literal

from typing_extensions import TypedDict

from retrieval.types import Layer, Level, ReasonKind


class CountsDict(TypedDict):
    """candidate_count = evidence_block_count + merged + the sum of `dropped`."""

    candidate_count: int
    """L0 entries + L1 passages that entered the merge."""
    merged: int
    """Candidates that became part of another one's block."""
    dropped: dict[str, int]
    """Reason (`top_k`, `min_score`, `budget`) → candidates, or for `budget` blocks."""
    evidence_block_count: int
    """Blocks of the answer."""


class ReasonDict(TypedDict):
    """Why a note is evidence: `text` for people, the rest for programs."""

    kind: ReasonKind
    """What was found."""
    text: str
    """The reason as a phrase."""
    layer: Literal["L0", "L1"]
    """Which layer found it."""
    term: str | None
    """The term that matched; null for a passage."""
    start: int | None
    """Where the term begins in the query, in characters from 0."""
    end: int | None
    """The offset after its last character."""
    score: float | None
    """`semantic`: cosine; `fulltext`: BM25; `near`: overlap; else null."""
    rank: int | None
    """Place of the passage in its request, from 1; null for a term."""
    terms: list[str]
    """Words of the query that stand in the passage, as BM25 saw them."""


class SpanDict(TypedDict):
    """A matched passage: where it stands, not its text."""

    id: str
    """`<source>#<ordinal>`; not stable when the note or the window changes."""
    breadcrumb: list[str]
    """Headings from the top down."""
    line_start: int
    """First line in the file, from 1."""
    line_end: int
    """Last line, included."""
    score: float | None
    """Cosine clipped to 0..1; null without one."""
    shown: bool
    """True when its text is part of the block's content."""


class BlockDict(TypedDict):
    """What one note contributes; there is one block for a source."""

    source: str
    """The note: its path below the knowledge root, with forward slashes."""
    title: str
    """Title of the note."""
    breadcrumb: list[str]
    """Headings of the best passage from the top down."""
    retrieval_layer: Layer
    """Which layers found the note."""
    content: str
    """Text of the best passages; `[…]` stands for what is left out between two."""
    rank_score: float
    """Orders the blocks of one answer; not comparable between answers."""
    score: float | None
    """Cosine of the best passage, clipped to 0..1; null without one."""
    hit_reasons: list[ReasonDict]
    """The reasons of both layers."""
    passages: list[SpanDict]
    """Every matched passage."""
    category: str | None
    """The note's first category; null without one."""
    relaxed: bool
    """True when it was let in past the derived filter."""
    trimmed: bool
    """True when the content was cut to fit the budget."""


class BlockSummaryDict(TypedDict):
    """A block as the record keeps it."""

    source: str
    """The note."""
    title: str
    """Title of the note."""
    retrieval_layer: Layer
    """Which layers found the note."""
    score: float | None
    """Cosine of the best passage, clipped to 0..1; null without one."""
    hit_reasons: list[str]
    """The texts of the reasons."""
    preview: str
    """The first 160 characters of the content on one line."""
    content_hash: str
    """First 16 hexadecimal digits of the content's sha256."""


class RelevanceDict(TypedDict):
    """How well the evidence supports an answer."""

    level: Level
    """`lexical_only`: only words support it; `none`: nothing was found."""
    confidence: float
    """0 to 1; comparable between answers of one index."""
    calibrated: bool
    """True when the thresholds were fitted to labelled queries of this index."""
    semantic_support: bool
    """True when an L1 that is `ok` found a passage of the primary above the semantic floor."""
    reason: str
    """The grounds in one or two sentences."""
