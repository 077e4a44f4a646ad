import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from retrieval import KnowledgeBase, alookup_knowledge, lookup_knowledge
from retrieval.budget import answer_tokens
from retrieval.errors import InvalidInput, UnknownFilter, UnknownSource
from retrieval.types import LookupResult
from tests.notes import write_notes

HASH = {"embedding": {"model": "hash:64"}}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write_notes(tmp_path / "kb" / "notes")
    (tmp_path / "kb" / "knowledge.toml").write_text(
        'root = "notes"\n[embedding]\nmodel = "hash:64"\n'
    )
    return root


@pytest.fixture
def kb(root: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(root.parent) as base:
        yield base


def warnings(result: LookupResult) -> list[str]:
    return [warning.code for warning in result.warnings]


def test_without_an_index_l0_answers_and_says_what_to_run(kb: KnowledgeBase) -> None:
    result = kb.lookup("chargeback")
    assert (result.outcome, result.l1.status) == ("fallback", "not_ready")
    assert result.l1.error is not None
    assert "lookup-knowledge index" in result.l1.error.next_action
    assert not kb.has_index()


def test_without_an_index_a_changed_folder_is_read_again(kb: KnowledgeBase, root: Path) -> None:
    assert kb.lookup("zebra").outcome == "no_evidence"
    (root / "zebra.md").write_text("# Zebra crossing\n\nStripes.\n")
    assert [b.source for b in kb.lookup("zebra crossing").evidence_blocks] == ["zebra.md"]


def test_a_finished_index_is_seen_by_the_next_lookup_everywhere(
    kb: KnowledgeBase, root: Path
) -> None:
    kb.reindex()
    with KnowledgeBase.open(root.parent) as other:
        assert other.lookup("chargeback").l1.status == "ok"
        (root / "zebra.md").write_text("# Zebra crossing\n\nStripes.\n")
        before = other.lookup("zebra crossing").fingerprint
        kb.reindex()
        after = other.lookup("zebra crossing")
        assert after.primary is not None
        assert after.primary.source == "zebra.md"
        assert after.fingerprint.index != before.index


def test_a_folder_that_changed_since_the_index_gives_a_warning(
    kb: KnowledgeBase, root: Path
) -> None:
    kb.reindex()
    assert warnings(kb.lookup("chargeback")) == []
    (root / "new.md").write_text("# New\n")
    (root / "network" / "vpn.md").unlink()
    with KnowledgeBase.open(root.parent) as fresh:
        (warning,) = fresh.lookup("chargeback").warnings
    assert (warning.code, warning.message[:7]) == ("index_stale", "2 notes")


def test_another_model_is_refused_and_l0_answers(kb: KnowledgeBase, root: Path) -> None:
    kb.reindex()
    with KnowledgeBase.open(root.parent, {"embedding": {"model": "hash:32"}}) as other:
        result = other.lookup("chargeback")
    assert (result.l1.status, result.retrieval_layer) == ("not_ready", "L0")
    assert result.l1.error is not None
    assert result.l1.error.code == "index_mismatch"
    assert "hash:64" in result.l1.error.message


def test_a_damaged_index_leaves_l0(kb: KnowledgeBase, root: Path) -> None:
    kb.reindex()
    for folder in (root.parent / ".lookup-knowledge" / "index").glob("gen-*"):
        shutil.rmtree(folder / "vectors")
    with KnowledgeBase.open(root.parent) as fresh:
        result = fresh.lookup("chargeback")
        assert result.primary is not None
        assert result.primary.source == "billing/chargeback.md"
        assert not result.relevance.semantic_support
        assert fresh.reindex().rebuilt_because is not None
        assert fresh.lookup("chargeback").l1.status == "ok"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"top_k": 0}, "top_k is 0"),
        ({"top_k": -3}, "top_k is -3"),
        ({"top_k": True}, "top_k is True"),
        ({"mode": "l2"}, "mode is 'l2'"),
        ({"filter_mode": "always"}, "filter_mode"),
        ({"l1_mode": "sparse"}, "l1_mode"),
        ({"min_score": True}, "min_score"),
        ({"filters": "category=billing"}, "filters"),
        ({"min_score": 1.5}, "min_score"),
        ({"budget": 10}, "budget"),
        ({"fault": "l1-melts"}, "fault"),
    ],
)
def test_a_wrong_argument_is_named(
    kb: KnowledgeBase, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        kb.lookup("chargeback", **options)
    refused = lookup_knowledge("chargeback", kb=kb, **options)
    assert refused.outcome == "refused"
    assert refused.error is not None
    assert kb.records().get(refused.invocation_id or "").outcome == "refused"


def test_an_unknown_filter_is_an_error_and_not_an_unfiltered_answer(kb: KnowledgeBase) -> None:
    with pytest.raises(UnknownFilter, match="categry"):
        kb.lookup("chargeback", filters={"categry": "billing"})


def test_a_callers_filter_holds_in_both_layers(kb: KnowledgeBase) -> None:
    kb.reindex()
    for options in ({}, {"fault": "l1-raises"}, {"mode": "l0"}, {"l1_mode": "fulltext"}):
        result = kb.lookup("vpn and refund policy", filters={"category": "Network"}, **options)  # type: ignore[arg-type]
        assert {b.category for b in result.evidence_blocks} == {"network"}
        assert result.l0_hints.domains == ("network",)


def test_a_note_is_read_by_its_identity_only(kb: KnowledgeBase) -> None:
    assert kb.get("network/vpn.md", (6, 6)).startswith("Working from home")
    with pytest.raises(UnknownSource):
        kb.get("../knowledge.toml")


def test_it_works_inside_an_event_loop_and_from_many_tasks(kb: KnowledgeBase) -> None:
    kb.reindex()

    async def ask() -> list[LookupResult]:
        direct = kb.lookup("badge")
        tasks = [alookup_knowledge("chargeback", kb=kb), kb.alookup("shuttle")] * 4
        return [direct, *await asyncio.gather(*tasks)]

    found = [r.primary.source for r in asyncio.run(ask()) if r.primary]
    assert found == ["access/badge.md"] + ["billing/chargeback.md", "travel/shuttle.md"] * 4


def test_it_works_from_threads_while_the_index_changes(kb: KnowledgeBase, root: Path) -> None:
    kb.reindex()
    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(lookup_knowledge, "chargeback", kb=kb) for _ in range(20)]
        (root / "more.md").write_text("# More\n\ntext\n")
        kb.reindex()
        futures += [pool.submit(lookup_knowledge, "chargeback", kb=kb) for _ in range(20)]
        results = [future.result() for future in futures]
    assert {r.primary.source for r in results if r.primary} == {"billing/chargeback.md"}
    assert {r.l1.status for r in results} == {"ok"}
    assert kb.records().count() == 40


def test_a_record_that_cannot_be_written_costs_a_warning_only(root: Path) -> None:
    (root.parent / ".lookup-knowledge").mkdir()
    (root.parent / ".lookup-knowledge" / "records.sqlite3").write_bytes(b"no database" * 200)
    with KnowledgeBase.open(root.parent) as base:
        result = lookup_knowledge("chargeback", kb=base)
    assert result.primary is not None
    assert "record_spooled" in warnings(result)


@pytest.mark.parametrize(("record", "rows", "query"), [("off", 0, None), ("no_query", 1, None)])
def test_recording_follows_the_settings(
    root: Path, record: str, rows: int, query: str | None
) -> None:
    with KnowledgeBase.open(root.parent, {"records": {"record": record}}) as base:
        lookup_knowledge("chargeback", kb=base)
        found = base.records().list()
    assert [invocation.query for invocation in found] == [query] * rows


def test_python_command_and_record_agree(kb: KnowledgeBase, root: Path) -> None:
    kb.reindex()
    query = "refund policy: how long does it take?"
    command = [sys.executable, "-m", "retrieval.cli", "query", query, "--json", "--kb"]
    run = subprocess.run(
        [*command, str(root.parent)], capture_output=True, text=True, check=True, timeout=120
    )
    printed = json.loads(run.stdout)
    called = json.loads(json.dumps(kb.lookup(query).to_dict()))
    differing = {"timings_ms", "invocation_id", "warnings"}
    assert {k: v for k, v in printed.items() if k not in differing} == {
        k: v for k, v in called.items() if k not in differing
    }
    record = kb.records().get(printed["invocation_id"])
    details = record.retrieval_details
    assert record.query == query
    for name in ("l0_hints", "filter", "l1", "counts", "relevance", "fingerprint"):
        assert details[name] == printed[name], name
    assert [b["source"] for b in details["evidence_blocks"]] == [
        b["source"] for b in printed["evidence_blocks"]
    ]


def test_a_budget_holds_for_the_whole_recorded_answer(kb: KnowledgeBase, root: Path) -> None:
    kb.reindex()
    (root / "new.md").write_text("# New\n")  # the stale warning comes on top
    result = lookup_knowledge("refund policy and chargeback", kb=kb, budget=1500)
    assert "index_stale" in warnings(result)
    assert answer_tokens(result) <= 1500
