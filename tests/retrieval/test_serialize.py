import json
import math
from dataclasses import replace

import jsonschema

from retrieval.contract import ResultDict, json_schema
from retrieval.serialize import DETAILS_BYTES, result_to_dict, retrieval_details
from retrieval.types import Condition, ErrorInfo, LookupResult
from tests.retrieval.test_lookup import found, look

FIELDS = [
    "schema_version",
    "query",
    "outcome",
    "retrieval_layer",
    "primary",
    "supplement",
    "evidence_blocks",
    "l0_hints",
    "filter",
    "l1",
    "counts",
    "relevance",
    "timings_ms",
    "fingerprint",
    "warnings",
    "error",
    "invocation_id",
]


def results() -> list[LookupResult]:
    return [
        look(found(0.6)),
        look(found(0.6), fault="l1-raises"),
        look(found(0.6), fault="l1-timeout"),
        look(found(0.6), query="zebra", min_score=0.9),
        look(None, query="  "),
    ]


def test_every_outcome_fits_the_schema_and_is_strict_json() -> None:
    schema = json_schema()
    for result in results():
        data = result.to_dict()
        jsonschema.validate(json.loads(json.dumps(data, allow_nan=False)), schema)


def test_the_fields_are_those_of_the_contract() -> None:
    assert list(ResultDict.__annotations__) == FIELDS
    assert list(look(found(0.6)).to_dict()) == FIELDS


def test_supplement_is_cut_to_snippets_and_blocks_are_whole() -> None:
    result = look(found(0.6))
    long = replace(result.evidence_blocks[0], content="x" * 1000)
    data = replace(result, evidence_blocks=(long, long)).to_dict()
    assert len(data["evidence_blocks"][1]["content"]) == 1000
    assert len(data["supplement"][0]["content"]) == 300
    assert data["primary"] == data["evidence_blocks"][0]


def test_numbers_that_json_cannot_hold_become_null() -> None:
    result = look(found(0.6))
    odd = replace(result.evidence_blocks[0], score=math.nan)
    data = result_to_dict(replace(result, evidence_blocks=(odd,)))
    assert data["evidence_blocks"][0]["score"] is None


def test_details_stay_compact_however_long_the_names_are() -> None:
    result = look(found(0.6))
    reasons = result.evidence_blocks[0].hit_reasons * 50
    block = replace(result.evidence_blocks[0], title="t" * 5000, hit_reasons=reasons)
    error = ErrorInfo(code="x", message="m" * 100_000)
    blown = replace(
        result,
        evidence_blocks=tuple(replace(block, source=f"{i}.md") for i in range(8)),
        l1=replace(result.l1, error=error),
    )
    details = retrieval_details(blown)
    assert len(json.dumps(details).encode()) <= DETAILS_BYTES
    assert [b["source"] for b in details["evidence_blocks"]] == [f"{i}.md" for i in range(8)]


def test_details_of_one_match_with_many_hits_keep_the_evidence() -> None:
    result = look(found(0.6))
    (match, *_) = result.l0_hints.matches
    many = replace(match, hits=match.hits * 5000)
    wide = Condition(key="source", op="in", values=tuple(f"{i}.md" for i in range(5000)))
    blown = replace(
        result,
        l0_hints=replace(result.l0_hints, matches=(many,)),
        filter=replace(result.filter, conditions=(wide,)),
    )
    details = retrieval_details(blown)
    assert len(json.dumps(details).encode()) <= DETAILS_BYTES
    assert len(details["evidence_blocks"]) == len(result.evidence_blocks)
    assert details["l0_hints"]["matches"][0]["source"] == match.source
