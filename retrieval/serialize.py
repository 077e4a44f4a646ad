"""A LookupResult as JSON-safe values: the whole answer, and the compact record of it."""

import hashlib
import json
import math
from dataclasses import replace
from typing import Any, cast

from retrieval.contract import (
    BlockDict,
    BlockSummaryDict,
    CountsDict,
    DetailsDict,
    ErrorDict,
    FilterDict,
    FingerprintDict,
    HintsDict,
    L1Dict,
    RelevanceDict,
    ResultDict,
    ShadowDict,
)
from retrieval.types import (
    SCHEMA_VERSION,
    ErrorInfo,
    EvidenceBlock,
    L0Hints,
    LookupResult,
)

SNIPPET = 300
PREVIEW = 160
NEAR_IN_JSON = 10
DETAILS_BYTES = 16 * 1024


def result_to_dict(result: LookupResult) -> ResultDict:
    """The answer; `primary` is a whole block, `supplement` the others cut to snippets."""
    blocks = [block_to_dict(block) for block in result.evidence_blocks]
    return {
        "schema_version": SCHEMA_VERSION,
        "query": result.query,
        "outcome": result.outcome,
        "retrieval_layer": result.retrieval_layer,
        "primary": blocks[0] if blocks else None,
        "supplement": [_snippet(block) for block in blocks[1:]],
        "evidence_blocks": blocks,
        "l0_hints": hints_to_dict(result.l0_hints),
        "filter": _filter(result),
        "l1": _l1(result),
        "counts": cast(CountsDict, _plain(result.counts)),
        "relevance": cast(RelevanceDict, _plain(result.relevance)),
        "timings_ms": dict(result.timings_ms),
        "fingerprint": cast(FingerprintDict, _plain(result.fingerprint)),
        "warnings": [error_to_dict(warning) for warning in result.warnings],
        "error": error_to_dict(result.error) if result.error else None,
        "invocation_id": result.invocation_id,
    }


def retrieval_details(result: LookupResult) -> DetailsDict:
    """What the record keeps: previews instead of content, at most 16 KiB.

    Where long names would exceed that, the lists of hints and reasons are shortened, longest
    first; counts and block sources stay.
    """
    details: DetailsDict = {
        "schema_version": SCHEMA_VERSION,
        "retrieval_layer": result.retrieval_layer,
        "l0_hints": _clipped(hints_to_dict(result.l0_hints)),
        "filter": _clipped(_filter(result)),
        "l1": _clipped(_l1(result)),
        "counts": cast(CountsDict, _plain(result.counts)),
        "evidence_blocks": [_clipped(_summary(block)) for block in result.evidence_blocks],
        "relevance": cast(RelevanceDict, _plain(result.relevance)),
        "timings_ms": dict(result.timings_ms),
        "fingerprint": cast(FingerprintDict, _plain(result.fingerprint)),
    }
    hints = details["l0_hints"]
    lists: list[list[Any]] = [
        hints["near_matches"],
        hints["matches"],
        *(match["hits"] for match in hints["matches"]),
        hints["entities"],
        hints["keywords"],
        hints["titles"],
        hints["domains"],
        details["filter"]["conditions"],
        *(condition["values"] for condition in details["filter"]["conditions"]),
        *(block["hit_reasons"] for block in details["evidence_blocks"]),
    ]
    while len(json.dumps(details).encode()) > DETAILS_BYTES:
        longest = max(lists, key=_length_to_spare)
        if len(longest) > 1:
            del longest[len(longest) // 2 :]
        elif details["evidence_blocks"]:
            details["evidence_blocks"].pop()
        else:
            break
    return details


def _length_to_spare(items: list[Any]) -> int:
    """0 for a list of one item: what is long in it is a list of its own."""
    return len(json.dumps(items)) if len(items) > 1 else 0


def hints_to_dict(hints: L0Hints) -> HintsDict:
    """The hints, with the first ten near matches."""
    data = _plain(replace(hints, near_matches=hints.near_matches[:NEAR_IN_JSON]))
    del data["category_hits"]
    return cast(HintsDict, data)


def block_to_dict(block: EvidenceBlock) -> BlockDict:
    """A whole block."""
    return cast(BlockDict, _plain(block))


def error_to_dict(error: ErrorInfo) -> ErrorDict:
    """An error or a warning."""
    return cast(ErrorDict, _plain(error))


def _snippet(block: BlockDict) -> BlockDict:
    if len(block["content"]) <= SNIPPET:
        return block
    return {**block, "content": block["content"][: SNIPPET - 1] + "…"}


def _filter(result: LookupResult) -> FilterDict:
    decision, shadow = result.filter, result.l1.shadow
    return {
        "applied": decision.applied,
        "category": decision.category,
        "conditions": _plain(decision.conditions),
        "origin": decision.origin,
        "reason": decision.reason,
        "mode": decision.mode,
        "shadow": cast(ShadowDict, _plain(shadow)) if shadow else None,
        "relaxed": result.relaxed,
    }


def _l1(result: LookupResult) -> L1Dict:
    l1 = result.l1
    return {
        "status": l1.status,
        "mode": l1.mode,
        "attempted": l1.attempted,
        "error": error_to_dict(l1.error) if l1.error else None,
        "candidates": len(l1.candidates),
    }


def _summary(block: EvidenceBlock) -> BlockSummaryDict:
    preview = " ".join(block.content.split())
    return {
        "source": block.source,
        "title": block.title,
        "retrieval_layer": block.retrieval_layer,
        "score": block.score,
        "hit_reasons": [reason.text for reason in block.hit_reasons],
        "preview": preview if len(preview) <= PREVIEW else preview[: PREVIEW - 1] + "…",
        "content_hash": hashlib.sha256(block.content.encode()).hexdigest()[:16],
    }


def _plain(value: Any) -> Any:
    """Dataclasses as dicts, tuples as lists, numbers that JSON cannot hold as None."""
    if isinstance(value, str):
        return value
    if hasattr(value, "__dataclass_fields__"):
        return {name: _plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _clipped(value: Any, limit: int = 200) -> Any:
    """The same with every text cut to `limit` characters."""
    if isinstance(value, str):
        return value if len(value) <= limit else value[: limit - 1] + "…"
    if isinstance(value, dict):
        return {k: v if k == "source" else _clipped(v, limit) for k, v in value.items()}
    if isinstance(value, list):
        return [_clipped(item, limit) for item in value]
    return value
