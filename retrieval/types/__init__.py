"""The values that cross a module line: notes, hints, decisions, candidates, evidence, results.

Every class is frozen. Offsets are character positions in the query as the caller gave it; lines
are 1-based lines of the file, both ends included; cosines lie in -1..1; times are milliseconds.
"""

from retrieval.types.literals import (
    SCHEMA_VERSION,
    FilterMode,
    FilterOperator,
    FilterOrigin,
    Json,
    L1Mode,
    L1Status,
    Layer,
    Level,
    LookupMode,
    Outcome,
    ReasonKind,
    TermField,
)
from retrieval.types.notes import (
    Entry,
    LoadIssue,
    LoadReport,
    Passage,
)
from retrieval.types.results import (
    Counts,
    EvidenceBlock,
    Fingerprint,
    HitReason,
    LookupResult,
    PassageSpan,
    Relevance,
)
from retrieval.types.stages import (
    Candidate,
    Condition,
    ErrorInfo,
    FilterDecision,
    L0Hints,
    L0Match,
    L1Outcome,
    L1Request,
    NearMatch,
    Shadow,
    TermHit,
)

__all__ = [
    "SCHEMA_VERSION",
    "Candidate",
    "Condition",
    "Counts",
    "Entry",
    "ErrorInfo",
    "EvidenceBlock",
    "FilterDecision",
    "FilterMode",
    "FilterOperator",
    "FilterOrigin",
    "Fingerprint",
    "HitReason",
    "Json",
    "L0Hints",
    "L0Match",
    "L1Mode",
    "L1Outcome",
    "L1Request",
    "L1Status",
    "Layer",
    "Level",
    "LoadIssue",
    "LoadReport",
    "LookupMode",
    "LookupResult",
    "NearMatch",
    "Outcome",
    "Passage",
    "PassageSpan",
    "ReasonKind",
    "Relevance",
    "Shadow",
    "TermField",
    "TermHit",
]
