"""The values of an evaluation: cases, sets, rows, variants, and means with their denominators.

Missing, zero and skipped are three values: a query without a label has no score (None), a
labelled query for which nothing was found scores 0.0, and what was not asked for is not there.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from retrieval.faults import Fault
from retrieval.types import (
    Counts,
    ErrorInfo,
    FilterDecision,
    Fingerprint,
    Json,
    L1Status,
    Layer,
    Outcome,
    ReasonKind,
    Relevance,
    Shadow,
)

Split = Literal["dev", "test"]
ExpectFilter = Literal["applied", "none", "any"]
RowStatus = Literal["evaluated", "zero_result", "failed", "not_judged"]
ReasonLayer = Literal["L0", "L1"]
FaultProfile = Literal[Fault, "index-missing"]
"""The faults of a single lookup, and a knowledge base without an index."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One labelled query."""

    id: str
    query: str
    relevant: Mapping[str, int] = field(default_factory=dict)
    """Source → grade. Grade 0 says that the note was judged and is not relevant."""
    exclude: tuple[str, ...] = ()
    """Sources that are taken out of every ranking before it is scored."""
    stratum: str = ""
    split: Split = "test"
    expected_category: str | None = None
    expect_filter: ExpectFilter = "any"
    expect_no_answer: bool = False
    origin: str = ""
    judged_by: str = ""
    judged_at: str = ""
    note: str = ""

    @property
    def positives(self) -> dict[str, int]:
        """The relevant sources: those with a grade of at least 1."""
        return {source: grade for source, grade in self.relevant.items() if grade > 0}

    @property
    def judged(self) -> bool:
        """True when the case says which notes are relevant, or that none is."""
        return self.expect_no_answer or bool(self.positives)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetMeta:
    """What `set.yaml` says about a set."""

    language: str = ""
    licence: str = ""
    revision: str = ""
    description: str = ""
    how_labelled: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalSet:
    """A labelled set and the notes that it judges."""

    name: str
    folder: Path
    """The folder of `set.yaml` and `cases.jsonl`."""
    root: Path
    """The folder of the notes."""
    knowledge_base: Path
    """What to open: `folder` when it has a `knowledge.toml`, else `root`."""
    cases: tuple[Case, ...]
    meta: SetMeta = SetMeta()

    @property
    def strata(self) -> tuple[str, ...]:
        """The strata in the order of their first case."""
        return tuple(dict.fromkeys(case.stratum for case in self.cases))

    def split(self, name: Split) -> tuple[Case, ...]:
        """The cases of one split, in order."""
        return tuple(case for case in self.cases if case.split == name)

    def digest(self) -> str:
        """Short digest of the cases; it changes when a query or a label does."""
        return cases_digest(self.cases)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """One evidence block in a ranking."""

    source: str
    rank_score: float
    score: float | None
    """Best-passage cosine clipped to 0..1; None without one."""
    layer: Layer
    reason_kinds: tuple[ReasonKind, ...] = ()
    """Kinds of the block's hit reasons, each once, in order."""
    reason_layers: tuple[ReasonLayer, ...] = ()
    """Layers that gave a hit reason, each once, in order."""
    relaxed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One query answered by one variant: what the metrics need of a `LookupResult`.

    A row whose lookup crashed has status `failed`, an `error`, no ranking, and None where the
    lookup would have spoken.
    """

    case_id: str
    variant: str
    status: RowStatus
    ranking: tuple[Ranked, ...] = ()
    """Blocks in order, best first, before `exclude` is taken out."""
    outcome: Outcome | None = None
    retrieval_layer: Layer | None = None
    l0_sources: tuple[str, ...] = ()
    """Sources of the L0 matches, in order (capped as in the result)."""
    l0_matches: int | None = None
    """L0 matches before the cap."""
    domains: tuple[str, ...] = ()
    """Distinct domains of the L0 hint data."""
    l1_sources: tuple[str, ...] = ()
    """Distinct sources of the L1 candidates, in order."""
    l1_status: L1Status | None = None
    filter: FilterDecision | None = None
    shadow: Shadow | None = None
    relaxed: int = 0
    relevance: Relevance | None = None
    coverage: float | None = None
    """Share of the rarity of the query's words that the primary holds, where it was measured."""
    overlap: float | None = None
    """Graded overlap of the primary's title and keywords with the query, where it was measured."""
    counts: Counts | None = None
    latency_ms: float | None = None
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    hints_recorded: bool | None = None
    """Whether the stored record held the L0 hints; None when no record was looked at."""
    error: ErrorInfo | None = None
    fingerprint: Fingerprint | None = None

    @property
    def sources(self) -> tuple[str, ...]:
        """The ranking as sources only."""
        return tuple(block.source for block in self.ranking)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """An average with its denominator: over `n` of the `of` that could have counted.

    `value` is None when `n` is 0.
    """

    value: float | None
    n: int
    of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A named way to look up: settings over those of the knowledge base, and a fault if any."""

    name: str
    settings: Mapping[str, Json] = field(default_factory=dict)
    """Nested like `knowledge.toml`: `{"lookup": {"mode": "l0"}}`."""
    fault: FaultProfile | None = None


def cases_digest(cases: Iterable[Case]) -> str:
    """Short digest of cases in their order, everything that is said of them included."""
    text = json.dumps([asdict(case) for case in cases], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
