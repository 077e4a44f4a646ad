"""Evidence blocks, counts, relevance, and the whole answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from retrieval.types.literals import Layer, Level, Outcome, ReasonKind
from retrieval.types.stages import ErrorInfo, FilterDecision, L0Hints, L1Outcome

if TYPE_CHECKING:
    from retrieval.contract import ResultDict


@dataclass(frozen=True, slots=True, kw_only=True)
class HitReason:
    """Why a note is evidence: `text` for people, the other fields for programs."""

    kind: ReasonKind
    text: str
    layer: Literal["L0", "L1"]
    term: str | None = None
    start: int | None = None
    end: int | None = None
    score: float | None = None
    rank: int | None = None
    terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageSpan:
    """Where a matched passage stands in its note."""

    id: str
    breadcrumb: tuple[str, ...]
    line_start: int
    line_end: int
    score: float | None = None
    """Cosine clipped to 0..1; None without one."""
    shown: bool = False
    """True when the passage's text is part of the block's content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceBlock:
    """What one note contributes to the answer; there is one block for a source."""

    source: str
    title: str
    breadcrumb: tuple[str, ...]
    retrieval_layer: Layer
    content: str
    rank_score: float
    score: float | None
    hit_reasons: tuple[HitReason, ...]
    passages: tuple[PassageSpan, ...]
    category: str | None = None
    relaxed: bool = False
    trimmed: bool = False
    """True when the content was cut to fit the budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """candidate_count = evidence_block_count + merged + the sum of `dropped`."""

    candidate_count: int
    """L0 entries + L1 passages that entered the merge."""
    merged: int
    dropped: Mapping[str, int]
    """Reason → number of candidates."""
    evidence_block_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance:
    """How well the evidence supports an answer."""

    level: Level
    confidence: float
    calibrated: bool
    semantic_support: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """Short digests: equal fingerprints mean equal answers."""

    config: str
    index: str | None
    embedding: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupResult:
    """The whole answer to one query, with every intermediate value."""

    query: str
    outcome: Outcome
    retrieval_layer: Layer | None
    evidence_blocks: tuple[EvidenceBlock, ...]
    l0_hints: L0Hints
    filter: FilterDecision
    l1: L1Outcome
    counts: Counts
    relevance: Relevance
    timings_ms: Mapping[str, float]
    fingerprint: Fingerprint
    warnings: tuple[ErrorInfo, ...] = ()
    error: ErrorInfo | None = None
    invocation_id: str | None = None

    @property
    def primary(self) -> EvidenceBlock | None:
        """The best block, or None without evidence."""
        return self.evidence_blocks[0] if self.evidence_blocks else None

    @property
    def supplement(self) -> tuple[EvidenceBlock, ...]:
        """All blocks but the primary."""
        return self.evidence_blocks[1:]

    @property
    def relaxed(self) -> int:
        """Blocks that were let in past the derived filter."""
        return sum(block.relaxed for block in self.evidence_blocks)

    def to_dict(self) -> "ResultDict":
        """The answer as JSON-safe values, as `query --json` prints it."""
        from retrieval.serialize import result_to_dict

        return result_to_dict(self)
