"""The closed sets of words that values may take."""

from typing import Any, Literal, TypeAlias

SCHEMA_VERSION = "1"

Layer = Literal["L0", "L1", "L0+L1"]
LookupMode = Literal["l0", "l1", "l0+l1"]
FilterMode = Literal["auto", "strict", "off"]
L1Mode = Literal["hybrid", "dense", "fulltext"]
L1Status = Literal["ok", "empty", "failed", "timeout", "disabled", "not_ready"]
Outcome = Literal["evidence", "fallback", "no_evidence", "refused", "error"]
Level = Literal["strong", "moderate", "weak", "lexical_only", "none"]
TermField = Literal["title", "keyword", "entity", "category"]
ReasonKind = Literal["keyword", "title", "entity", "category", "near", "semantic", "fulltext"]
FilterOrigin = Literal["l0", "caller", "l0+caller"]
FilterOperator = Literal["eq", "ne", "in", "nin"]
Json: TypeAlias = Any
