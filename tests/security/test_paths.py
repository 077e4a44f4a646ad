"""Nothing outside the knowledge root is read, named, or told to exist."""

import asyncio
import json
import os
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from eval_sets.labelling import create_set, list_sets
from retrieval import KnowledgeBase
from retrieval.cli.program import main
from retrieval.errors import InvalidInput, RetrievalError
from retrieval.tools.mcp.server import build_server
from retrieval.why import explain_absence
from tests.notes import write_notes
from workbench.services.absence import askable_notes

SECRET = "kestrel-4711"
OUTSIDE = "outside-secret.md"


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """Notes beside a file that is none of them, with links of every kind that lead to it."""
    folder = tmp_path_factory.mktemp("paths")
    (folder / OUTSIDE).write_text(f"# {SECRET}\n\nguest network {SECRET}\n", encoding="utf-8")
    (folder / "notes-of-others").mkdir()
    (folder / "notes-of-others" / "x.md").write_text(SECRET, encoding="utf-8")
    root = write_notes(folder / "notes")
    (root / "Größe.md").write_text("# Größe\n\nText.\n", encoding="utf-8")
    (root / "linked.md").symlink_to(folder / OUTSIDE)
    (root / "relative.md").symlink_to(f"../{OUTSIDE}")
    (root / "chain.md").symlink_to("linked.md")
    (root / "linked-folder").symlink_to(folder / "notes-of-others")
    (root / ".hidden.md").write_text(SECRET, encoding="utf-8")
    settings = {"state_dir": str(folder / "state"), "embedding": {"model": "hash:64"}}
    with KnowledgeBase.open(root, settings) as base:
        base.reindex()
        yield base


def sources(kb: KnowledgeBase) -> list[str]:
    """Ways to write the file outside, or a note in a form that is not its source."""
    outside = kb.location.root.parent / OUTSIDE
    return [
        f"../{OUTSIDE}",
        f"billing/../../{OUTSIDE}",
        f"./../{OUTSIDE}",
        f"..\\{OUTSIDE}",
        f"billing\\..\\..\\{OUTSIDE}",
        f"..%2f{OUTSIDE}",
        f"%2e%2e/{OUTSIDE}",
        f"%252e%252e%252f{OUTSIDE}",
        f"..%c0%af{OUTSIDE}",
        f"\uff0e\uff0e/{OUTSIDE}",
        f"..\u2215{OUTSIDE}",
        str(outside),
        outside.as_uri(),
        f"/{outside}",
        f"\\\\?\\{outside}",
        "../notes-of-others/x.md",
        "linked.md",
        "relative.md",
        "chain.md",
        "linked-folder/x.md",
        ".hidden.md",
        "BILLING/REFUND.MD",
        "billing/refund.md/",
        "billing//refund.md",
        "billing/refund.md\x00.txt",
        "billing/refund.md::$DATA",
        str(kb.location.root / "billing/refund.md"),
        "",
        ".",
        "..",
        "/",
        "~/.bashrc",
        "/etc/passwd",
        "/proc/self/environ",
    ]


def call(kb: KnowledgeBase, name: str, arguments: dict[str, Any]) -> Any:
    async def main() -> Any:
        async with Client(build_server(kb)) as client:
            return await client.call_tool(name, arguments)

    return asyncio.run(main())


def test_get_reads_notes_only(kb: KnowledgeBase) -> None:
    for source in sources(kb):
        with pytest.raises(RetrievalError) as raised:
            kb.get(source)
        assert SECRET not in str(raised.value), source
        assert OUTSIDE not in str(raised.value).replace(source, ""), source


def test_the_command_get_prints_notes_only(
    kb: KnowledgeBase, capsys: pytest.CaptureFixture[str]
) -> None:
    for source in sources(kb):
        if "\x00" in source:
            continue  # no command line can hold it
        assert main(["get", "--kb", str(kb.location.root), "--", source]) == 2, source
        said = capsys.readouterr()
        assert said.out == ""
        assert SECRET not in said.err
        assert "Traceback" not in said.err


def test_get_knowledge_reads_notes_only(kb: KnowledgeBase) -> None:
    for source in sources(kb):
        answer = call(kb, "get_knowledge", {"source": source})
        assert answer.is_error, source
        assert answer.structured_content["content"] == ""
        assert SECRET not in json.dumps(answer.structured_content)


@pytest.mark.parametrize(
    "written",
    [
        lambda source: source,
        lambda source: quote(source, safe=""),
        lambda source: quote(quote(source, safe=""), safe=""),
        lambda source: "".join(f"%{byte:02x}" for byte in source.encode()),
    ],
    ids=["plain", "encoded", "encoded-twice", "every-byte"],
)
def test_a_resource_is_a_note(kb: KnowledgeBase, written: Callable[[str], str]) -> None:
    async def read() -> None:
        async with Client(build_server(kb)) as client:
            for source in sources(kb):
                for scheme in ("knowledge:///", "knowledge://", "file:///"):
                    with pytest.raises((MCPError, ValueError)) as raised:
                        await client.read_resource(scheme + written(source))
                    assert SECRET not in str(raised.value)

    asyncio.run(read())


def test_resources_list_notes_only(kb: KnowledgeBase) -> None:
    async def names() -> list[str]:
        async with Client(build_server(kb)) as client:
            return [resource.name for resource in (await client.list_resources()).resources]

    listed = asyncio.run(names())
    assert set(listed) == {entry.source for entry in kb.entries}
    assert "linked.md" not in listed


def test_why_not_tells_nothing_of_files_outside(kb: KnowledgeBase) -> None:
    for source in sources(kb):
        try:
            told = explain_absence(kb, "guest network", source).to_dict()
        except RetrievalError as error:
            told = {"error": str(error)}
        assert SECRET not in json.dumps(told), source
    missing = explain_nothing(kb, "../no-such-file.md")
    assert explain_nothing(kb, f"../{OUTSIDE}") == missing.replace("no-such-file.md", OUTSIDE)


def explain_nothing(kb: KnowledgeBase, source: str) -> str:
    with pytest.raises(RetrievalError) as raised:
        explain_absence(kb, "guest network", source)
    return raised.value.message


def test_no_lookup_finds_what_a_link_leads_to(kb: KnowledgeBase) -> None:
    for query in (SECRET, "guest network", "kestrel"):
        assert SECRET not in json.dumps(kb.lookup(query).to_dict()).replace(query, "")


def test_the_workbench_offers_only_what_is_below_the_root(kb: KnowledgeBase) -> None:
    offered = askable_notes(kb)
    assert not any(".." in source or source.startswith("/") for source in offered)
    assert SECRET not in json.dumps(offered)
    for source in offered:
        path = os.path.realpath(kb.location.root / source)
        assert path.startswith(f"{kb.location.root}{os.sep}")


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_note_has_one_name_in_both_forms_of_unicode(kb: KnowledgeBase, form: Any) -> None:
    source = unicodedata.normalize(form, "Größe.md")
    assert kb.get(source).startswith("# Größe")
    answer = call(kb, "get_knowledge", {"source": source})
    assert answer.structured_content["content"].startswith("# Größe")


@pytest.mark.parametrize("name", ["../evil", "/tmp/evil", "a/b", "..", ".", "", "a\\b", "a\x00b"])
def test_a_new_set_lies_where_sets_lie(kb: KnowledgeBase, name: str) -> None:
    before = sorted(kb.location.root.parent.rglob("*"))
    with pytest.raises(InvalidInput):
        create_set(name, kb)
    assert sorted(kb.location.root.parent.rglob("*")) == before
    assert all(found.problem is None for found in list_sets(kb))
