"""One test for each scenario of the specification, against the real embedder, Chroma and SQLite.

A scenario "L1 fails" or "L1 has no results" is forced with the faults that the product offers.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval import KnowledgeBase, lookup_knowledge
from retrieval.records import ToolInvocation
from retrieval.semantic.filters import to_filters
from retrieval.types import LookupResult
from tests.notes import write_notes

SCENARIOS = (
    "L0 produces traceable hint data",
    "L0 does not bypass semantic retrieval by default",
    "Single domain filter",
    "Ambiguous domain fallback",
    "L1 has no results",
    "L1 fails",
    "Retrieval details include L0 hints",
    "Retrieval layer reflects cooperating retrieval",
    "Evidence block contains source metadata",
    "Compatibility fields remain available",
    "Duplicate source deduplication",
    "Postprocess count tracking",
    "Evidence summaries are persisted",
    "Full content is not duplicated into retrieval details",
)
SPEC = Path(__file__).parents[2] / "shared" / "spec.md"


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    root = write_notes(tmp_path_factory.mktemp("notes"))
    with KnowledgeBase.open(root, {"state_dir": str(tmp_path_factory.mktemp("state"))}) as base:
        base.reindex()
        yield base


def recorded(kb: KnowledgeBase, result: LookupResult) -> ToolInvocation:
    assert result.invocation_id is not None
    return kb.records().get(result.invocation_id)


def test_l0_produces_traceable_hint_data(kb: KnowledgeBase) -> None:
    hints = kb.lookup("When does a chargeback start?").l0_hints
    assert hints.titles == ("Chargebacks",)
    assert hints.keywords == ("chargeback",)
    assert hints.domains == ("billing",)
    assert hints.entities == ("Visa",)


def test_l0_does_not_bypass_semantic_retrieval_by_default(kb: KnowledgeBase) -> None:
    result = kb.lookup("chargeback")
    assert result.l0_hints.matches_total == 1
    assert result.l1.attempted
    assert result.l1.status == "ok"
    assert not kb.lookup("chargeback", mode="l0").l1.attempted


@pytest.mark.parametrize("filter_mode", ["auto", "strict"])
def test_single_domain_filter(kb: KnowledgeBase, filter_mode: str) -> None:
    result = kb.lookup("chargeback", filter_mode=filter_mode)  # type: ignore[arg-type]
    assert result.filter.category == "billing"
    filters = to_filters("billing", (), slots={"category": 1}, resolve=lambda _: ())
    assert filters is not None
    assert [(f.key, f.value) for f in filters.filters] == [("category", "billing")]
    found = {c.source for c in result.l1.candidates if not c.relaxed}
    assert found == {"billing/chargeback.md", "billing/refund.md"}


@pytest.mark.parametrize(
    ("query", "domains"), [("chargeback over the vpn", 2), ("nothing that stands in a note", 0)]
)
def test_ambiguous_domain_fallback(kb: KnowledgeBase, query: str, domains: int) -> None:
    result = kb.lookup(query)
    assert len(result.l0_hints.domains) == domains
    assert result.filter.category is None
    categories = {c.source.split("/")[0] for c in result.l1.candidates}
    assert categories == {"billing", "network", "access", "travel"}


def test_l1_has_no_results(kb: KnowledgeBase) -> None:
    result = kb.lookup("chargeback", fault="l1-empty")
    assert result.l1.status == "empty"
    assert result.outcome == "fallback"
    assert result.primary is not None
    assert result.primary.source == "billing/chargeback.md"
    assert result.primary.retrieval_layer == "L0"
    assert not result.relevance.semantic_support
    assert result.relevance.level == "lexical_only"


def test_l1_fails(kb: KnowledgeBase) -> None:
    result = lookup_knowledge("chargeback", kb=kb, fault="l1-raises")
    assert result.l1.status == "failed"
    assert result.primary is not None
    assert result.primary.source == "billing/chargeback.md"
    assert result.retrieval_layer == "L0"
    record = recorded(kb, result)
    assert record.retrieval_layer == "L0"
    assert record.retrieval_details["l0_hints"]["keywords"] == ["chargeback"]
    assert record.error is not None


def test_retrieval_details_include_l0_hints(kb: KnowledgeBase) -> None:
    details = recorded(kb, lookup_knowledge("chargeback", kb=kb)).retrieval_details
    hints = details["l0_hints"]
    assert hints["keywords"] == ["chargeback"]
    assert hints["domains"] == ["billing"]
    assert hints["entities"] == ["Visa"]
    assert hints["titles"] == ["Chargebacks"]


def test_retrieval_layer_reflects_cooperating_retrieval(kb: KnowledgeBase) -> None:
    assert recorded(kb, lookup_knowledge("chargeback", kb=kb)).retrieval_layer == "L0+L1"
    alone = lookup_knowledge("a tunnel when working from home", kb=kb)
    assert recorded(kb, alone).retrieval_layer == "L1"


def test_evidence_block_contains_source_metadata(kb: KnowledgeBase) -> None:
    block = kb.lookup("money back: the time limit in days after a purchase").evidence_blocks[0]
    assert block.source == "billing/refund.md"
    assert block.title == "Refund policy"
    assert block.breadcrumb == ("Refund policy", "Time limit")
    assert block.retrieval_layer == "L0+L1"
    assert "thirty days" in block.content
    assert {reason.kind for reason in block.hit_reasons} >= {"keyword", "semantic"}


def test_compatibility_fields_remain_available(kb: KnowledgeBase) -> None:
    result = kb.lookup("chargeback")
    assert result.primary == result.evidence_blocks[0]
    assert result.supplement == result.evidence_blocks[1:]
    assert result.supplement
    data = result.to_dict()
    assert data["primary"] == data["evidence_blocks"][0]
    assert [b["source"] for b in data["supplement"]] == [b.source for b in result.supplement]


def test_duplicate_source_deduplication(kb: KnowledgeBase) -> None:
    result = kb.lookup("refund policy: how is the amount paid back to the card?")
    sources = [block.source for block in result.evidence_blocks]
    assert len(sources) == len(set(sources))
    block = next(b for b in result.evidence_blocks if b.source == "billing/refund.md")
    assert {reason.layer for reason in block.hit_reasons} == {"L0", "L1"}
    assert [span.breadcrumb[-1] for span in block.passages] == ["Time limit", "How it is paid"]


def test_postprocess_count_tracking(kb: KnowledgeBase) -> None:
    result = lookup_knowledge("chargeback", kb=kb, top_k=1)
    counts = recorded(kb, result).retrieval_details["counts"]
    assert counts["evidence_block_count"] == 1
    assert counts["candidate_count"] == 1 + counts["merged"] + sum(counts["dropped"].values())
    assert counts["candidate_count"] == 1 + len(result.l1.candidates)


def test_evidence_summaries_are_persisted(kb: KnowledgeBase) -> None:
    result = lookup_knowledge("chargeback", kb=kb)
    summaries = recorded(kb, result).retrieval_details["evidence_blocks"]
    assert [s["source"] for s in summaries] == [b.source for b in result.evidence_blocks]
    first = summaries[0]
    assert first["title"] == "Chargebacks"
    assert first["retrieval_layer"] == "L0+L1"
    assert first["score"] == result.evidence_blocks[0].score
    assert any("chargeback" in reason for reason in first["hit_reasons"])


def test_full_content_is_not_duplicated_into_retrieval_details(
    tmp_path: Path, kb: KnowledgeBase
) -> None:
    details = recorded(kb, lookup_knowledge("chargeback", kb=kb)).retrieval_details
    for summary in details["evidence_blocks"]:
        assert "content" not in summary
        assert len(summary["preview"]) <= 160

    text = "A ledger line that repeats. " * 40_000  # more than 1 MB
    for i in range(9):
        fields = f"title: Ledger {'x' * 3000} {i}\nkeywords: [ledger, {'y' * 3000}]"
        (tmp_path / f"{i}.md").write_text(
            f"---\n{fields}\n---\n{text[: 1_100_000 if i < 2 else 99]}"
        )
    with KnowledgeBase.open(tmp_path, {"embedding": {"model": "hash:8"}}) as big:
        result = lookup_knowledge("ledger", kb=big)
        assert len(result.evidence_blocks) == 8
        kept = recorded(big, result).retrieval_details
    assert len(json.dumps(kept).encode()) <= 16 * 1024
    assert len(kept["evidence_blocks"]) == 8


def test_every_scenario_of_the_specification_has_its_test() -> None:
    names = {name for name in globals() if name.startswith("test_")}
    for title in SCENARIOS:
        words = title.lower().replace("+", " ").split()
        assert "test_" + "_".join(words) in names
    assert len(SCENARIOS) == 14


@pytest.mark.skipif(not SPEC.is_file(), reason="the specification lies outside this checkout")
def test_the_titles_are_those_of_the_specification() -> None:
    lines = SPEC.read_text(encoding="utf-8").splitlines()
    found = [line.removeprefix("#### Scenario: ") for line in lines if "#### Scenario" in line]
    assert tuple(found) == SCENARIOS
