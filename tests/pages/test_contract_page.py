"""The page of the JSON contract against answers, records and explanations that were made."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from retrieval import KnowledgeBase, lookup_knowledge
from retrieval.cli import main
from retrieval.contract import COMMAND_CODES, NOTICE_CODES
from retrieval.types import FilterOrigin, L1Status, Layer, Level, Outcome, ReasonKind
from retrieval.why import explain_absence
from tests.notes import write_notes
from tests.pages.codes import error_kinds, notice_codes
from tests.pages.markdown import ROOT, tables

PAGE = (ROOT / "retrieval/contract/README.md").read_text(encoding="utf-8")
TABLES = tables(PAGE)
SETTINGS = 'root = "notes"\n[embedding]\nmodel = "hash:64"\n[lookup]\nsemantic_floor = 0.1\n'
QUERIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("vpn tunnel", {}),  # a derived filter with its shadow request
    ("vpn tunnel", {"filters": {"category": ["network", "billing"]}}),
    ("the lost door after twelve hours", {}),  # near matches
    ("network", {"mode": "l0"}),  # the name of a category
    ("refund of the money", {"fault": "l1-raises"}),
    ("zebra", {"mode": "l0"}),
    ("  ", {}),
)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder = tmp_path_factory.mktemp("contract")
    write_notes(folder / "notes")
    (folder / "notes" / "loose.md").write_text("# Loose ends of the tunnel\n\nNo category here.\n")
    (folder / "knowledge.toml").write_text(SETTINGS)
    with KnowledgeBase.open(folder) as base:
        base.reindex()
        yield base


class Reader:
    """Compares documents with the tables, and remembers which rows were seen, and which nulls."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, str]] = set()
        self.wrong: list[str] = []

    def read(self, document: dict[str, Any], heading: str) -> None:
        rows = {row[0].strip("`"): row[1] for row in TABLES[heading]}
        self.wrong += [f"{heading}: {key}" for key in rows.keys() ^ document.keys()]
        for key in rows.keys() & document.keys():
            self.seen.add((heading, key))
            if not self._fits(document[key], rows[key]):
                self.wrong.append(f"{heading}: {key} is {document[key]!r}, no {rows[key]}")

    def _fits(self, value: Any, kind: str) -> bool:
        if value is None:
            return kind.endswith(" or null")
        kind = kind.removesuffix(" or null")
        if kind.startswith("list of "):
            inner = kind.removeprefix("list of ")
            return isinstance(value, list) and all(self._fits(item, inner) for item in value)
        if linked := re.fullmatch(r"\[(.+)\]\(#.+\)", kind):
            self.read(value, linked[1])
            return True
        if kind.startswith("object"):
            inner = kind.removeprefix("object").removeprefix(" of ")
            return isinstance(value, dict) and all(
                not inner or self._fits(item, inner) for item in value.values()
            )
        if kind.startswith("`"):
            return value in re.findall(r"`([^`]+)`", kind)
        types: dict[str, Any] = {"text": str, "number": (int, float), "true, false": bool}
        types["whole number"] = int
        is_switch = isinstance(value, bool)
        return isinstance(value, types[kind]) and is_switch == (kind == "true, false")


def _reached(start: str) -> set[tuple[str, str]]:
    """Every row that a document of this kind may have, by the links of the tables."""
    found: set[tuple[str, str]] = set()
    waiting, known = [start], {start}
    while waiting:
        heading = waiting.pop()
        for key, kind, _ in TABLES[heading]:
            found.add((heading, key.strip("`")))
            linked = set(re.findall(r"\[(.+?)\]\(#", kind)) - known
            known |= linked
            waiting += linked
    return found


def test_every_key_of_an_answer_is_in_the_page_and_the_other_way_round(kb: KnowledgeBase) -> None:
    reader = Reader()
    for query, options in QUERIES:
        reader.read(json.loads(json.dumps(kb.lookup(query, **options).to_dict())), "The answer")
    assert reader.wrong == []
    assert _reached("The answer") - reader.seen == set()


def test_every_key_of_a_record_is_in_the_page_and_the_other_way_round(kb: KnowledgeBase) -> None:
    reader = Reader()
    for query, options in QUERIES:
        asked = lookup_knowledge(query, kb=kb, **options)
        stored = kb.records().get(str(asked.invocation_id))
        reader.read(stored.retrieval_details, "retrieval_details")
    assert reader.wrong == []
    assert _reached("retrieval_details") - reader.seen == set()


def test_every_key_of_why_is_in_the_page_and_the_other_way_round(kb: KnowledgeBase) -> None:
    reader = Reader()
    for source in ("network/vpn.md", "access/badge.md"):
        absence = explain_absence(kb, "vpn tunnel", source, top_k=1)
        reader.read(json.loads(json.dumps(absence.to_dict())), "why")
    assert reader.wrong == []
    assert _reached("why") - reader.seen == set()


def test_the_reader_sees_what_is_wrong(kb: KnowledgeBase) -> None:
    reader = Reader()
    document: dict[str, Any] = dict(kb.lookup("vpn tunnel").to_dict())
    del document["counts"]
    reader.read({**document, "extra": 1, "query": None, "outcome": "perhaps"}, "The answer")
    assert len(reader.wrong) == 4


def test_every_row_says_what_it_means() -> None:
    generated = {
        heading
        for start in ("The answer", "retrieval_details", "why")
        for heading, _ in _reached(start)
    }
    empty = [(h, row[0]) for h in generated for row in TABLES[h] if not row[2].strip()]
    assert empty == []


def test_every_word_of_a_closed_set_is_explained() -> None:
    words = {word for row in TABLES["Words"] for word in re.findall(r"`([^`]+)`", row[1])}
    sets = (Outcome, L1Status, Layer, Level, ReasonKind, FilterOrigin)
    assert {word for closed in sets for word in get_args(closed)} <= words


def test_every_code_is_in_a_table_and_exists() -> None:
    assert notice_codes() == NOTICE_CODES.keys() | COMMAND_CODES.keys()
    shown = {
        heading: {row[0].strip("`") for row in TABLES[heading]}
        for heading in (
            "Errors of the tree",
            "Codes that are no exceptions",
            "Codes of commands alone",
        )
    }
    tree = {kind.code for kind in error_kinds()} | {"retrieval_error"}
    assert list(shown.values()) == [tree, set(NOTICE_CODES), set(COMMAND_CODES)]


def test_exit_codes_of_commands_are_those_of_the_page(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    codes = {row[0].strip("`"): int(row[2]) for row in TABLES["Codes of commands alone"]}
    assert main(["query", "vpn", "--no-such", "--json"]) == codes["usage"]
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "usage"
    tree = {row[0].strip("`"): int(row[3]) for row in TABLES["Errors of the tree"]}
    assert (
        main(["query", "vpn", "--kb", str(tmp_path / "none"), "--json"]) == tree["knowledge_error"]
    )
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "knowledge_error"


def _facts_of(path: Path) -> set[str]:
    """The names of facts that a module of `why` sets, as far as they are written out."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "_stage":
            found |= {keyword.arg for keyword in node.keywords if keyword.arg} - {"text"}
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value) == "facts":
            found |= {node.slice.value} if isinstance(node.slice, ast.Constant) else set()
        dictionaries = []
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            dictionaries = [node.value] if ast.unparse(target) == "facts" else []
        elif isinstance(node, ast.keyword) and node.arg == "facts":
            dictionaries = [node.value]
        for value in dictionaries:
            if isinstance(value, ast.Dict):
                found |= {key.value for key in value.keys if isinstance(key, ast.Constant)}
    return found


def test_every_fact_of_a_stage_is_in_the_page_and_the_other_way_round() -> None:
    named = {name for row in TABLES["Facts"] for name in re.findall(r"`(\w+)`", row[1])}
    # Parts of one fact, and another place's key.
    inner = {"term", "field", "kind", "reason", "supplement"}
    modules = ("stages", "derived", "presence")
    made = set().union(*(_facts_of(ROOT / f"retrieval/why/{name}.py") for name in modules))
    assert made == named - inner
    assert len(made) > 30
