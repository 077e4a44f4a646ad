"""The whole answer, `LookupResult.to_dict()`, and what the record keeps of it."""

from typing import Any

from pydantic import with_config
from typing_extensions import TypedDict

from retrieval.contract.evidence import BlockDict, BlockSummaryDict, CountsDict, RelevanceDict
from retrieval.contract.stages import ErrorDict, FilterDict, HintsDict, L1Dict
from retrieval.types import Json, Layer, Outcome


class FingerprintDict(TypedDict):
    """Short digests: equal fingerprints mean equal answers."""

    config: str
    """Of the settings that can change an answer."""
    index: str | None
    """Of the indexed notes and their passages; null without an index."""
    embedding: str | None
    """Of the embedder; null without an index."""


@with_config(use_attribute_docstrings=True)
class ResultDict(TypedDict):
    """The whole answer."""

    schema_version: str
    """Version of this contract."""
    query: str
    """The query as it was asked."""
    outcome: Outcome
    """`fallback`: L1 found nothing or failed, and L0 answers; `refused`: a wrong argument."""
    retrieval_layer: Layer | None
    """Which layers took part; null without evidence."""
    primary: BlockDict | None
    """The best block, whole; null without evidence."""
    supplement: list[BlockDict]
    """The other blocks, their content cut to 300 characters."""
    evidence_blocks: list[BlockDict]
    """All blocks, whole, best first."""
    l0_hints: HintsDict
    """What L0 knows about the query."""
    filter: FilterDict
    """What L1 was limited to."""
    l1: L1Dict
    """How L1 ended."""
    counts: CountsDict
    """Where every candidate went."""
    relevance: RelevanceDict
    """How well the evidence supports an answer."""
    timings_ms: dict[str, float]
    """Milliseconds of `l0`, `l1`, `merge` and `total`; empty when nothing was looked up."""
    fingerprint: FingerprintDict
    """Which settings, notes and embedder gave this answer."""
    warnings: list[ErrorDict]
    """What stands behind an answer that is less than it could be."""
    error: ErrorDict | None
    """Why there is no answer (`refused`, `error`); null otherwise."""
    invocation_id: str | None
    """Id of the record; null when it was not recorded."""


@with_config(use_attribute_docstrings=True)
class DetailsDict(TypedDict):
    """`tool_invocation.retrieval_details`: the answer without texts, at most 16 KiB.

    Names and meanings are those of the answer. Texts longer than 200 characters are cut, and where
    it would still be too large the longest lists are shortened.
    """

    schema_version: str
    """Version of this contract."""
    retrieval_layer: Layer | None
    """Which layers took part; null without evidence."""
    l0_hints: HintsDict
    """What L0 knew about the query."""
    filter: FilterDict
    """What L1 was limited to."""
    l1: L1Dict
    """How L1 ended."""
    counts: CountsDict
    """Where every candidate went."""
    evidence_blocks: list[BlockSummaryDict]
    """Each block without its content."""
    relevance: RelevanceDict
    """How well the evidence supported an answer."""
    timings_ms: dict[str, float]
    """Milliseconds of `l0`, `l1`, `merge` and `total`."""
    fingerprint: FingerprintDict
    """Which settings, notes and embedder gave the answer."""


def json_schema() -> dict[str, Json]:
    """The JSON Schema of `LookupResult.to_dict()`, generated from these types."""
    from pydantic import TypeAdapter

    schema: dict[str, Any] = TypeAdapter(ResultDict).json_schema()
    return schema
