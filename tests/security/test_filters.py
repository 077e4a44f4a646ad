"""A caller's filters, and an operator's, hide a note everywhere: title, text, category, existence.

Scores are not hidden: how rare a word is is counted over all notes.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from retrieval import KnowledgeBase, lookup_knowledge
from retrieval.faults import Fault
from retrieval.tools.langchain import langchain_tool
from retrieval.tools.mcp.server import build_server
from retrieval.tools.openai import OpenAIFunction
from retrieval.why import explain_absence
from tests.notes import write_notes

HIDDEN = "tenants/hidden-zebrawood.md"
WORDS = ("zebrawood", "quixotic", "vermilion", "ocelotry")
"""Of the hidden note: in its name and title, its text, its keywords, its category."""
NOTES = {
    "tenants/acme.md": "---\ntitle: Refund limit\nkeywords: [refund limit]\ncategory: billing\n"
    "tenant: acme\n---\nAcme refunds ninety euros without approval.\n",
    HIDDEN: "---\ntitle: Zebrawood refund limit\nkeywords: [refund limit, vermilion approval]\n"
    "category: ocelotry\ntenant: globex\nentities: [VERMILION]\nonly_here: yes\n---\n"
    "Globex refunds; the quixotic approver decides on the refund limit.\n\n"
    "## Quixotic rules\n\nThe quixotic approver is on leave.\n",
}
QUERIES = (
    "refund limit",
    "who is the approver of globex refunds",
    "vermilion approval",
    "ocelotry refunds",
    "zebrawood",
    "quixotic approver",
    "VERMILION",
)
CALLERS: dict[str, Mapping[str, Any]] = {
    "field": {"tenant": "acme"},
    "not": {"tenant": {"ne": "globex"}},
    "category": {"category": ["billing", "network"]},
    "source": {"source": {"ne": HIDDEN}},
}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder = tmp_path_factory.mktemp("filters")
    root = write_notes(folder / "notes")
    for source, text in NOTES.items():
        (root / source).parent.mkdir(exist_ok=True)
        (root / source).write_text(text, encoding="utf-8")
    settings = {"state_dir": str(folder / "state"), "embedding": {"model": "hash:64"}}
    with KnowledgeBase.open(root, settings) as base:
        base.reindex()
        yield base


def leaks(answer: Any, *said: str) -> list[str]:
    """The hidden note's words in an answer, other than where the caller's own words stand."""
    text = json.dumps(answer, ensure_ascii=False, default=str).casefold()
    for own in said:
        text = text.replace(json.dumps(own, ensure_ascii=False)[1:-1].casefold(), "")
    return [word for word in WORDS if word in text]


def answer_of(result: Any) -> dict[str, Any]:
    """The answer without the conditions, which are the caller's own."""
    answer: dict[str, Any] = result.to_dict()
    answer["filter"] = {**answer["filter"], "conditions": []}
    return answer


FAULTS: tuple[Fault | None, ...] = (None, "l1-raises", "l1-empty", "l1-off")


@pytest.mark.parametrize("kind", CALLERS)
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("mode", ["l0", "l1", "l0+l1"])
def test_a_callers_filter_holds_in_every_layer_and_every_fallback(
    kb: KnowledgeBase, kind: str, fault: Fault | None, mode: Any
) -> None:
    for query in QUERIES:
        for filter_mode in ("auto", "strict", "off"):
            result = kb.lookup(
                query, mode=mode, filter_mode=filter_mode, filters=CALLERS[kind], fault=fault
            )
            assert leaks(answer_of(result), query) == [], (query, filter_mode)
            shown = {b.source for b in result.evidence_blocks}
            shown |= {m.source for m in (*result.l0_hints.matches, *result.l0_hints.near_matches)}
            shown |= {c.source for c in (*result.l1.candidates, *result.l1.extra)}
            shadow = result.l1.shadow
            assert HIDDEN not in shown | {shadow.best_source_outside if shadow else None}


def test_the_queries_would_find_the_note(kb: KnowledgeBase) -> None:
    found = [leaks(answer_of(kb.lookup(query)), query) for query in QUERIES]
    assert all(found), found


@pytest.mark.parametrize("kind", CALLERS)
def test_the_record_of_a_filtered_lookup_does_not_hold_the_note(
    kb: KnowledgeBase, kind: str
) -> None:
    result = lookup_knowledge(QUERIES[0], kb=kb, scope=CALLERS[kind])
    row = kb.records().get(result.invocation_id or "")
    row_dict = {**row.to_dict(), "arguments": {}}
    row_dict["retrieval_details"]["filter"]["conditions"] = []
    assert leaks(row_dict, *QUERIES) == []


def test_why_not_tells_only_that_the_filter_excludes_it(kb: KnowledgeBase) -> None:
    """Its category too, where that is what excludes it: see `explain_absence`."""
    for query in QUERIES:
        words = (query, *query.split())  # those that a note lacks are told one by one
        told = explain_absence(kb, query, HIDDEN, filters={"tenant": "acme"}).to_dict()
        told["result"] = {}
        assert leaks(told, *words, HIDDEN) == [], query
        other = explain_absence(
            kb, query, "travel/shuttle.md", filters={"tenant": {"ne": "globex"}}
        )
        assert leaks(other.to_dict(), *words) == [], query
        assert HIDDEN not in json.dumps(other.to_dict())


def test_near_names_of_why_not_are_among_what_the_filter_admits(kb: KnowledgeBase) -> None:
    from retrieval.errors import UnknownSource

    wrong = HIDDEN.replace("hidden", "hiden")
    with pytest.raises(UnknownSource, match="hidden"):
        explain_absence(kb, "refund", wrong)
    with pytest.raises(UnknownSource) as raised:
        explain_absence(kb, "refund", wrong, filters={"tenant": "acme"})
    assert HIDDEN not in str(raised.value)


def ask_doors(kb: KnowledgeBase, scope: Mapping[str, Any], query: str) -> list[Any]:
    """What each door gives an agent."""

    async def mcp() -> Any:
        async with Client(build_server(kb, filters=scope)) as client:
            result = await client.call_tool("lookup_knowledge", {"query": query})
            return [result.structured_content, result.content[0].text]

    function = OpenAIFunction.over(kb, filters=scope)
    return [
        *asyncio.run(mcp()),
        kb.as_tool(filters=scope).call(query=query).content,
        langchain_tool(kb, filters=scope).invoke({"query": query}),
        function.call(json.dumps({"query": query})).to_text(),
    ]


def test_no_door_lets_an_agent_see_what_the_operator_hides(kb: KnowledgeBase) -> None:
    for query in QUERIES[:4]:
        for answer in ask_doors(kb, {"tenant": "acme"}, query):
            assert leaks(answer, query) == [], answer


def condition(field: str) -> dict[str, Any]:
    return {"field": field, "values": ["globe"]}


PROBES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("lookup_knowledge", {"query": "refund", "category": "ocelotrx"}),
    ("lookup_knowledge", {"query": "refund", "category": "ocelotry"}),
    ("lookup_knowledge", {"query": "refund", "filters": [{"field": "only_here", "values": ["x"]}]}),
    (
        "lookup_knowledge",
        {"query": "refund", "filters": [{"field": "tenant", "values": ["globe"]}]},
    ),
    ("get_knowledge", {"source": HIDDEN}),
    ("get_knowledge", {"source": HIDDEN.upper()}),
    ("get_knowledge", {"source": "tenants/hidden-zebra.md"}),
    ("get_knowledge", {"source": f"./{HIDDEN}"}),
)


def test_a_hidden_note_and_none_are_told_in_the_same_words(kb: KnowledgeBase) -> None:
    """What is asked for by name is answered as if the hidden note had never been written."""

    async def ask(base: KnowledgeBase) -> list[Any]:
        said: list[Any] = []
        async with Client(build_server(base, filters={"tenant": "acme"}, record=False)) as client:
            for name, arguments in PROBES:
                answer = (await client.call_tool(name, arguments)).structured_content
                said.append([answer["error"], answer.get("warnings")])
            said.append([r.name for r in (await client.list_resources()).resources])
            for source in (HIDDEN, "tenants/hidden-zebra.md"):
                with pytest.raises(MCPError) as raised:
                    await client.read_resource(f"knowledge:///{source}")
                said.append(str(raised.value))
        return said

    with_it = asyncio.run(ask(kb))
    hidden = kb.location.root / HIDDEN
    text = hidden.read_text(encoding="utf-8")
    hidden.unlink()
    try:
        settings = {
            "state_dir": str(kb.location.state_dir.parent / "other"),
            "embedding": {"model": "hash:64"},
        }
        with KnowledgeBase.open(kb.location.root, settings) as without:
            without.reindex()
            assert asyncio.run(ask(without)) == with_it
    finally:
        hidden.write_text(text, encoding="utf-8")


def test_what_happens_to_hidden_notes_is_not_told(tmp_path: Path) -> None:
    """Neither how many of them changed nor that some cannot be read."""
    root = write_notes(tmp_path / "notes")
    for source, text in NOTES.items():
        (root / source).parent.mkdir(exist_ok=True)
        (root / source).write_text(text, encoding="utf-8")
    (root / "tenants/broken.md").write_text("---\ntitle: [\n---\n", encoding="utf-8")
    settings = {"state_dir": str(tmp_path / "state"), "embedding": {"model": "hash:64"}}
    with KnowledgeBase.open(root, settings) as base:
        base.reindex()
        told = {w.code: w.message for w in base.lookup("refund limit").warnings}
        assert "1 file" in told["notes_unreadable"]
        for n in range(17):
            (root / f"tenants/new{n}.md").write_text("---\ntenant: globex\n---\nNew.\n")
    with KnowledgeBase.open(root, settings) as base:
        assert "17 notes" in str(base.lookup("refund limit").warnings)
        scoped = base.lookup("refund limit", scope={"tenant": "acme"})
        assert [warning.code for warning in scoped.warnings] == ["index_stale"]
        assert not any(char.isdigit() for char in scoped.warnings[0].message)


def test_the_title_of_before_is_hidden_with_its_note(tmp_path: Path) -> None:
    """A note that came into the scope since the index shows nothing of what it was."""
    root = write_notes(tmp_path / "notes")
    (root / "moved.md").write_text(NOTES[HIDDEN], encoding="utf-8")
    (root / "acme.md").write_text(NOTES["tenants/acme.md"], encoding="utf-8")
    settings = {"state_dir": str(tmp_path / "state"), "embedding": {"model": "hash:64"}}
    with KnowledgeBase.open(root, settings) as base:
        base.reindex()
        server = build_server(base, filters={"tenant": "acme"})
        (root / "moved.md").write_text(NOTES["tenants/acme.md"], encoding="utf-8")

        async def get() -> Any:
            async with Client(server) as client:
                return await client.call_tool("get_knowledge", {"source": "moved.md"})

        answer = asyncio.run(get())
    assert not answer.is_error
    assert leaks(answer.structured_content) == []
