"""A scope: what it hides must not show anywhere, in answers, messages, hints or resources."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from retrieval import KnowledgeBase, lookup_knowledge
from retrieval.tools.mcp.server import build_server
from tests.notes import write_notes
from tests.retrieval.tools.conftest import ACME, GLOBEX

HIDDEN = ("globex", "zebrawood")
PROBES: list[dict[str, Any]] = [
    {"query": "refund limit"},
    {"query": "zebra wood approver seventy euros"},
    {"query": "globexonly limits"},
    {"query": "refund limits", "mode": "l1"},
    {"query": "refund limits", "mode": "l0"},
    {"query": "refund", "category": "nonsense"},
    {"query": "refund", "filters": [{"field": "tenant", "values": ["x"]}]},
    {"query": "refund", "filters": [{"field": "keywords", "values": ["x"]}]},
    {"query": "refund", "filters": [{"field": "nonsense", "values": ["x"]}]},
    {"query": "refund", "filters": [{"field": "source", "values": ["tenants/g.md"]}]},
]
SCOPES: list[dict[str, Any]] = [
    {"tenant": "acme"},
    {"Tenant": {"in": ["ACME"]}},
    {"tenant": {"ne": "globex"}},
    {"category": ["billing", "travel"]},
]


def _leaks(answer: Any, probe: dict[str, Any]) -> list[str]:
    text = json.dumps(answer, ensure_ascii=False).casefold()
    for said in (probe["query"], *(v for f in probe.get("filters", ()) for v in f["values"])):
        text = text.replace(json.dumps(said)[1:-1].casefold(), "")
    return [word for word in HIDDEN if word in text]


@pytest.mark.parametrize("scope", SCOPES, ids=str)
def test_no_answer_names_a_note_outside_the_scope(kb: KnowledgeBase, scope: Any) -> None:
    tool = kb.as_tool(filters=scope)
    for probe in PROBES:
        answer = dict(tool.call(**probe).raw_output)
        answer["filter"] = {**answer["filter"], "conditions": []}  # the scope itself stands there
        assert _leaks(answer, probe) == [], probe


def test_the_probes_would_find_a_leak(kb: KnowledgeBase) -> None:
    found = [bool(_leaks(kb.as_tool().call(**probe).raw_output, probe)) for probe in PROBES]
    assert sum(found) >= len(PROBES) - 2, found


@pytest.mark.parametrize("fault", ["l1-raises", "l1-empty", "l1-off", None])
def test_a_fallback_keeps_to_the_scope(kb: KnowledgeBase, fault: Any) -> None:
    result = lookup_knowledge("refund limit", kb=kb, scope={"tenant": "acme"}, fault=fault)
    assert [block.source for block in result.evidence_blocks] == ["tenants/acme.md"]


def test_a_model_cannot_widen_the_scope(kb: KnowledgeBase) -> None:
    tool = kb.as_tool(filters={"tenant": "acme"})
    wider = tool.call(
        query="refund limit", filters=[{"field": "tenant", "values": ["acme", "globex"]}]
    )
    assert [b["source"] for b in wider.raw_output["evidence_blocks"]] == ["tenants/acme.md"]
    other = tool.call(query="refund limit", filters=[{"field": "tenant", "values": ["globex"]}])
    assert other.raw_output["outcome"] == "no_evidence"


def test_a_scope_without_notes_shows_nothing(kb: KnowledgeBase) -> None:
    result = kb.lookup("refund limit", scope={"tenant": "initech"})
    assert (result.outcome, result.evidence_blocks) == ("no_evidence", ())
    assert [warning.code for warning in result.warnings] == ["no_notes"]
    assert kb.lookup("refund limit", scope={"nosuchfield": "x"}).evidence_blocks == ()


def test_get_and_resources_keep_to_the_scope(kb: KnowledgeBase) -> None:
    async def main() -> None:
        server = build_server(kb, filters={"tenant": "acme"})
        async with Client(server) as client:
            resources = (await client.list_resources()).resources
            assert [resource.name for resource in resources] == ["tenants/acme.md"]
            own = await client.call_tool("get_knowledge", {"source": "tenants/acme.md"})
            assert own.structured_content["content"].startswith("---\ntitle: Refund limits")
            for source in ("tenants/globex.md", "billing/refund.md"):
                found = await client.call_tool("get_knowledge", {"source": source})
                absent = await client.call_tool("get_knowledge", {"source": "tenants/no.md"})
                assert found.is_error
                assert absent.is_error
                told = [r.structured_content["error"]["code"] for r in (found, absent)]
                assert told == ["unknown_source"] * 2
                closest = [r.structured_content["error"]["next_action"] for r in (found, absent)]
                assert not any("globex" in text for text in closest)
                with pytest.raises(MCPError, match="There is no note"):
                    await client.read_resource(f"knowledge:///{source}")

    asyncio.run(main())


def test_a_note_that_left_the_scope_since_the_index_is_not_served(tmp_path: Path) -> None:
    root = write_notes(tmp_path / "notes")
    note = root / "acme.md"
    note.write_text(ACME, encoding="utf-8")
    settings = {"state_dir": str(tmp_path / "state"), "embedding": {"model": "hash:64"}}
    with KnowledgeBase.open(root, settings) as base:
        base.reindex()
        server = build_server(base, filters={"tenant": "acme"})
        note.write_text(GLOBEX, encoding="utf-8")

        async def get() -> Any:
            async with Client(server) as client:
                return await client.call_tool("get_knowledge", {"source": "acme.md"})

        answer = asyncio.run(get())
        assert answer.is_error
        assert "zebrawood" not in answer.content[0].text
