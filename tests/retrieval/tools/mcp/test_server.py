"""Every outcome against the schemas that the server promises; notes and their lines."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from retrieval import KnowledgeBase
from retrieval.contract import json_schema
from retrieval.tools.mcp.server import build_server


@pytest.fixture(scope="module")
def unread(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[KnowledgeBase]:
    """The notes without an index."""
    settings = {"state_dir": str(tmp_path_factory.mktemp("s")), "embedding": {"model": "hash:64"}}
    with KnowledgeBase.open(root, settings) as base:
        yield base


def _call(kb: KnowledgeBase, name: str, arguments: dict[str, Any], **options: Any) -> Any:
    async def main() -> Any:
        async with Client(build_server(kb, **options)) as client:
            schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
            result = await client.call_tool(name, arguments)
            jsonschema.validate(result.structured_content, schemas[name])
            return result

    return asyncio.run(main())


def test_evidence_fallback_no_evidence_and_refused_fit_the_schema(
    kb: KnowledgeBase, unread: KnowledgeBase
) -> None:
    calls = [
        (kb, {"query": "refund policy"}, "evidence", False),
        (unread, {"query": "refund policy"}, "fallback", False),
        (unread, {"query": "qqqq"}, "no_evidence", False),
        (kb, {"query": ""}, "refused", True),
        (kb, {"query": "refund", "top_k": "five"}, "refused", True),
        (kb, {"query": "refund", "surprise": 1}, "refused", True),
    ]
    for base, arguments, outcome, is_error in calls:
        result = _call(base, "lookup_knowledge", arguments)
        assert (result.structured_content["outcome"], result.is_error) == (outcome, is_error)
        jsonschema.validate(result.structured_content, json_schema())


def test_an_error_fits_the_schema(tmp_path: Path) -> None:
    note = tmp_path / "kb" / "a.md"
    note.parent.mkdir()
    note.write_text("# Refunds\n\nThirty days.\n", encoding="utf-8")
    settings = {"state_dir": str(tmp_path / "state"), "embedding": {"model": "hash:64"}}

    class Broken(KnowledgeBase):
        def lookup(self, query: str, **_: Any) -> Any:
            raise OSError("the disk is gone")

    with Broken.open(tmp_path / "kb", settings) as base:
        result = _call(base, "lookup_knowledge", {"query": "refunds"})
    assert (result.structured_content["outcome"], result.is_error) == ("error", True)
    assert "the disk is gone" in result.structured_content["error"]["message"]


def test_without_an_index_nothing_is_built_and_the_answer_says_what_to_run(
    unread: KnowledgeBase,
) -> None:
    answer = _call(unread, "lookup_knowledge", {"query": "refund policy"}).structured_content
    assert answer["l1"]["status"] == "not_ready"
    assert any("lookup-knowledge index" in w["next_action"] for w in answer["warnings"])
    assert not unread.has_index()


def test_the_text_is_the_same_json_within_the_budget(kb: KnowledgeBase) -> None:
    import json

    from retrieval.budget import estimate_tokens

    result = _call(kb, "lookup_knowledge", {"query": "refund policy", "budget": 1200})
    (content,) = result.content
    assert json.loads(content.text) == result.structured_content
    assert estimate_tokens(content.text) <= 1200
    fixed = _call(kb, "lookup_knowledge", {"query": "refund policy"}, budget=1200)
    assert estimate_tokens(fixed.content[0].text) <= 1200


def test_lines_of_a_note(kb: KnowledgeBase) -> None:
    def get(**arguments: Any) -> dict[str, Any]:
        return _call(kb, "get_knowledge", {"source": "billing/refund.md", **arguments})

    whole = get().structured_content
    assert (whole["line_start"], whole["line_end"], whole["line_count"]) == (1, 12, 12)
    some = get(line_start=8, line_end=9).structured_content
    assert some["content"].startswith("## Time limit\nA customer may ask")
    for wrong in ({"line_start": 99}, {"line_start": 5, "line_end": 2}, {"line_start": 0}):
        refused = get(**wrong)
        assert refused.is_error
        assert refused.structured_content["error"]["code"] == "invalid_input"
    assert "no argument 'lines'" in get(lines="1:2").structured_content["error"]["message"]


def test_a_long_note_comes_in_pieces_that_join(tmp_path: Path) -> None:
    text = "# Long\n\n" + "".join(f"Line {n} 说明\n" for n in range(2000))
    note = tmp_path / "kb" / "long.md"
    note.parent.mkdir()
    note.write_text(text, encoding="utf-8")
    settings = {"state_dir": str(tmp_path / "state"), "embedding": {"model": "hash:64"}}
    with KnowledgeBase.open(tmp_path / "kb", settings) as base:
        start: int | None = 1
        pieces: list[str] = []
        while start is not None:
            arguments = {"source": "long.md", "line_start": start, "budget": 3000}
            piece = _call(base, "get_knowledge", arguments).structured_content
            pieces.append(piece["content"])
            start = piece["next_line"]
    assert len(pieces) > 3
    assert "\n".join(pieces) == text.removesuffix("\n")


@pytest.mark.parametrize(
    "source",
    [
        "../secret.md",
        "/etc/passwd",
        "billing/../network/vpn.md",
        "BILLING/refund.md",
        "link.md",
        "billing\\refund.md",
        "billing/refund.md\x00",
        "",
        ".",
    ],
)
def test_only_notes_are_served(tmp_path: Path, source: str) -> None:
    root = tmp_path / "kb"
    (root / "billing").mkdir(parents=True)
    (root / "billing" / "refund.md").write_text("# Refund\n", encoding="utf-8")
    (tmp_path / "secret.md").write_text("# Secret\n", encoding="utf-8")
    (root / "link.md").symlink_to(tmp_path / "secret.md")
    settings = {"state_dir": str(tmp_path / "state"), "embedding": {"model": "hash:64"}}

    async def read(base: KnowledgeBase) -> None:
        async with Client(build_server(base)) as client:
            with pytest.raises(MCPError, match="There is no note"):
                await client.read_resource(f"knowledge:///{source}")
            with pytest.raises(MCPError, match="Resources start with"):
                await client.read_resource("file:///etc/passwd")

    with KnowledgeBase.open(root, settings) as base:
        result = _call(base, "get_knowledge", {"source": source})
        assert result.is_error
        assert result.structured_content["error"]["code"] == "unknown_source"
        asyncio.run(read(base))


def test_resources_come_in_pages_and_hold_names_of_any_script(tmp_path: Path) -> None:
    root = tmp_path / "kb"
    root.mkdir()
    sources = sorted([*(f"n{i:03}.md" for i in range(250)), "账号 100%/密码#1.md"])
    for source in sources:
        (root / source).parent.mkdir(exist_ok=True)
        (root / source).write_text(f"# T {source}\n", encoding="utf-8")
    settings = {"state_dir": str(tmp_path / "state"), "embedding": {"model": "hash:64"}}

    async def main(base: KnowledgeBase) -> None:
        async with Client(build_server(base)) as client:
            first = await client.list_resources()
            second = await client.list_resources(cursor=first.next_cursor)
            assert second.next_cursor is None
            found = [*first.resources, *second.resources]
            assert [resource.name for resource in found] == sources
            text = (await client.read_resource(found[-1].uri)).contents[0]
            assert text.text == f"# T {sources[-1]}\n"
            templates = (await client.list_resource_templates()).resource_templates
            assert [t.uri_template for t in templates] == ["knowledge:///{+source}"]

    with KnowledgeBase.open(root, settings) as base:
        asyncio.run(main(base))


def test_tools_are_marked_read_only_and_the_server_says_how_to_use_them(kb: KnowledgeBase) -> None:
    async def main() -> None:
        async with Client(build_server(kb)) as client:
            for tool in (await client.list_tools()).tools:
                assert tool.annotations is not None
                assert tool.annotations.read_only_hint
                jsonschema.Draft202012Validator.check_schema(tool.input_schema)
                assert tool.input_schema["additionalProperties"] is False
            assert "no_evidence" in (client.instructions or "")
            with pytest.raises(MCPError, match="There is no tool 'drop'"):
                await client.call_tool("drop", {})

    asyncio.run(main())
