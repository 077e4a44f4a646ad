"""The JSON contract: the shapes that `LookupResult.to_dict()` and `retrieval_details` have.

`schema_version` changes when a field goes or means something else; new fields may come any time.
"""

from typing import Any

from typing_extensions import TypedDict

from retrieval.types import (
    FilterMode,
    FilterOrigin,
    Json,
    L1Mode,
    L1Status,
    Layer,
    Level,
    Outcome,
    ReasonKind,
    TermField,
)


class HitDict(TypedDict):
    """A term found in the query, with its offsets there."""

    term: str
    field: TermField
    start: int
    end: int


class MatchDict(TypedDict):
    """A note that L0 matched."""

    source: str
    title: str
    categories: list[str]
    score: float
    hits: list[HitDict]


class NearMatchDict(TypedDict):
    """A note that shares words with the query but is no match."""

    source: str
    title: str
    score: float
    reason: str


class HintsDict(TypedDict):
    """What L0 knows about the query."""

    matches: list[MatchDict]
    matches_total: int
    titles: list[str]
    keywords: list[str]
    domains: list[str]
    entities: list[str]
    near_matches: list[NearMatchDict]


class ShadowDict(TypedDict):
    """What the L1 request would have found without the derived filter."""

    candidates: int
    outside: int
    best_cosine_inside: float | None
    best_cosine_outside: float | None
    best_source_outside: str | None
    best_rank_outside: int | None


class ConditionDict(TypedDict):
    """One of the caller's own filters."""

    key: str
    op: str
    values: list[str]


class FilterDict(TypedDict):
    """What the L1 request was limited to, and why."""

    applied: bool
    category: str | None
    conditions: list[ConditionDict]
    origin: FilterOrigin | None
    reason: str
    mode: FilterMode
    shadow: ShadowDict | None
    relaxed: int


class ErrorDict(TypedDict):
    """An error or a warning."""

    code: str
    message: str
    next_action: str


class L1Dict(TypedDict):
    """How the semantic request ended; `candidates` counts passages."""

    status: L1Status
    mode: L1Mode
    attempted: bool
    error: ErrorDict | None
    candidates: int


class CountsDict(TypedDict):
    """candidate_count = evidence_block_count + merged + the sum of `dropped`."""

    candidate_count: int
    merged: int
    dropped: dict[str, int]
    evidence_block_count: int


class ReasonDict(TypedDict):
    """Why a note is evidence."""

    kind: ReasonKind
    text: str
    layer: str
    term: str | None
    start: int | None
    end: int | None
    score: float | None
    rank: int | None
    terms: list[str]


class SpanDict(TypedDict):
    """A matched passage: where it stands, not its text."""

    id: str
    breadcrumb: list[str]
    line_start: int
    line_end: int
    score: float | None
    shown: bool


class BlockDict(TypedDict):
    """What one note contributes."""

    source: str
    title: str
    breadcrumb: list[str]
    retrieval_layer: Layer
    content: str
    rank_score: float
    score: float | None
    hit_reasons: list[ReasonDict]
    passages: list[SpanDict]
    category: str | None
    relaxed: bool
    trimmed: bool


class BlockSummaryDict(TypedDict):
    """A block as the record keeps it."""

    source: str
    title: str
    retrieval_layer: Layer
    score: float | None
    hit_reasons: list[str]
    preview: str
    content_hash: str


class RelevanceDict(TypedDict):
    """How well the evidence supports an answer."""

    level: Level
    confidence: float
    calibrated: bool
    semantic_support: bool
    reason: str


class FingerprintDict(TypedDict):
    """Equal fingerprints mean equal answers."""

    config: str
    index: str | None
    embedding: str | None


class ResultDict(TypedDict):
    """The whole answer."""

    schema_version: str
    query: str
    outcome: Outcome
    retrieval_layer: Layer | None
    primary: BlockDict | None
    supplement: list[BlockDict]
    evidence_blocks: list[BlockDict]
    l0_hints: HintsDict
    filter: FilterDict
    l1: L1Dict
    counts: CountsDict
    relevance: RelevanceDict
    timings_ms: dict[str, float]
    fingerprint: FingerprintDict
    warnings: list[ErrorDict]
    error: ErrorDict | None
    invocation_id: str | None


class DetailsDict(TypedDict):
    """`tool_invocation.retrieval_details`."""

    schema_version: str
    retrieval_layer: Layer | None
    l0_hints: HintsDict
    filter: FilterDict
    l1: L1Dict
    counts: CountsDict
    evidence_blocks: list[BlockSummaryDict]
    relevance: RelevanceDict
    timings_ms: dict[str, float]
    fingerprint: FingerprintDict


def json_schema() -> dict[str, Json]:
    """The JSON Schema of `LookupResult.to_dict()`, generated from these types."""
    from pydantic import TypeAdapter

    schema: dict[str, Any] = TypeAdapter(ResultDict).json_schema()
    return schema
