"""Each kind of failure that users report has a test of the project's own.

`KINDS` in `tests/kinds.py` says which. The inputs here are further ones of kinds that are easy to
get half right. The folder of cases that `tests/cases` runs may be missing: these stand without it.
"""

import json
import re
import socket
from pathlib import Path

import pytest

from eval_sets.schema import parse_case
from retrieval import KnowledgeBase
from retrieval.errors import InvalidInput
from tests.kinds import KINDS
from tests.notes import write_notes
from tests.retrieval.knowledge.notes import passages, read, refused

TESTS = Path(__file__).parent


def test_every_kind_has_a_test_that_is_there() -> None:
    assert len(KINDS) == 83
    missing = [
        kind
        for kind, (file, name) in KINDS.items()
        if not re.search(rf"^(async )?def {name}\(", (TESTS / file).read_text("utf-8"), re.M)
    ]
    assert missing == []


def front(text: str) -> str:
    return f"---\n{text}\n---\n# Heading\n\nBody.\n"


@pytest.mark.parametrize(
    "value",
    ["2023-11-31", "2026-02-07 09:15:00", "Yes", "OFF", "y", "08:45", "1:02:03", "1_000", "0o17"],
)
def test_scalars_stay_json_and_as_written(value: str) -> None:
    entry, _ = read(
        front(f"title: {value}\nkeywords: [{value}]\ncategory: {value}\nsince: {value}")
    )
    assert (entry.title, entry.keywords, entry.category) == (value, (value,), value)
    assert json.loads(json.dumps(dict(entry.metadata)))["since"] == value


@pytest.mark.parametrize(
    ("yaml", "expected"),
    [
        ("keywords: ~", ()),
        ("keywords: [null, , lift]", None),
        ("keywords:\n  - lift\n  -\n  - ''\n  - '--'", ("lift",)),
        ("KeyWords: lift\nTAGS: [stairs]\naliases: hoist", ("lift", "stairs", "hoist")),
        ("keywords: [[lift, [stairs]], 12]", ("lift", "stairs", "12")),
        ("keywords: {lift: {deep: {er: x}}}", ("x",)),
    ],
)
def test_keywords(yaml: str, expected: tuple[str, ...] | None) -> None:
    if expected is None:
        assert refused(front(yaml)).line == 2
        return
    entry, _ = read(front(yaml))
    assert entry.keywords == expected
    assert not any("{" in word or word in ("None", "null") for word in entry.keywords)


@pytest.mark.parametrize(
    ("yaml", "line", "says"),
    [
        ("category: a\ntitle: Lifts: upkeep", 3, "quote"),
        ("x: 1\ny: 2\ntitle: {{ name }}", 4, "placeholder"),
        ("keywords: [[Lift]], [[Stairs]]", 2, ""),
        ("a: 1\nb: !!python/name:os.system x", 3, ""),
    ],
)
def test_a_note_that_is_refused_names_its_line(yaml: str, line: int, says: str) -> None:
    issue = refused(front(yaml))
    assert issue.line == line
    assert says in issue.message.casefold()


@pytest.mark.parametrize(
    ("body", "trails"),
    [
        ("# A\n\n~~~~ sh\n# no\n~~~\n# no\n~~~~\n\n## B\n\nx\n", [("A",), ("A", "B")]),
        ("# A\n\nx\n\n1. item\n\n   ```\n   # no\n   ```\n", [("A",)]),
        ("# A\n\nx\n\n#### D\n\nx\n\n### C\n\nx\n", [("A",), ("A", "D"), ("A", "C")]),
        ("# A\n\n> quoted\n---\n\ntext\n\n- item\n---\n\nrest\n", [("A",)]),
        ("### Deep\n\nx\n\n## Less\n\nx\n", [("Deep",), ("Less",)]),
        ("# A\n\n## I/O\n\nx\n\n## I/O\n\ny\n", [("A", "I/O"), ("A", "I/O")]),
    ],
)
def test_headings(body: str, trails: list[tuple[str, ...]]) -> None:
    found = passages(body, title="A")
    shown = [passage.breadcrumb for passage in found]
    assert [trail[-1] for trail in shown] == [trail[-1] for trail in trails]
    assert len({passage.id for passage in found}) == len(found)
    assert all(isinstance(trail, tuple) for trail in shown)


@pytest.mark.parametrize(
    ("keyword", "hits", "misses"),
    [
        ("ant", ["an ANT in the kitchen", "ants"], ["an elephant", "antenna", "want"]),
        ("发票", ["请问发票怎么开", "发票"], ["发出的票据"]),
        ("crm", ["打开crm系统", "CRMの使い方"], ["scrm", "crmx"]),
        ("c++", ["c++ or rust", "(C++)"], ["plan c"]),
        ("[draft]", ["is it [draft]?"], []),
        ("parcel policy", ["parcel policies"], ["policy of a parcel", "parcel new policy"]),
        ("モデム", ["ﾓﾃﾞﾑの交換"], []),
        ("naïve", ["nai\u0308ve approach", "ＮＡÏＶＥ"], []),
        ("q", ["press q now"], ["queue"]),
        ("e-mail", ["e mail", "E_MAIL"], []),
    ],
)
def test_what_a_keyword_matches(
    keyword: str, hits: list[str], misses: list[str], tmp_path: Path
) -> None:
    (tmp_path / "n.md").write_text(f"---\ntitle: Zzyzx\nkeywords: ['{keyword}']\n---\nBody.\n")
    with KnowledgeBase.open(tmp_path, {"state_dir": str(tmp_path / "state")}) as base:
        for query, wanted in [*((q, True) for q in hits), *((q, False) for q in misses)]:
            hints = base.lookup(query, mode="l0").l0_hints
            assert (hints.matches_total == 1) is wanted, query


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    folder = tmp_path_factory.mktemp("kinds")
    root = write_notes(folder / "kb")
    (root / "lines.md").write_text("---\ntitle: Lines\ncategory: network-old\n---\nOld wires.\n")
    opened = KnowledgeBase.open(
        root, {"state_dir": str(folder / "state"), "embedding": {"model": "hash:64"}}
    )
    opened.reindex()
    return opened


def sources(base: KnowledgeBase, query: str, **options: object) -> set[str]:
    return {block.source for block in base.lookup(query, **options).evidence_blocks}


@pytest.mark.parametrize("filters", [None, {}, {"category": None}])
def test_conditions_that_say_nothing_filter_nothing(base: KnowledgeBase, filters: object) -> None:
    assert sources(base, "guest network", filters=filters) == sources(base, "guest network")


def test_conditions_are_joined(base: KnowledgeBase) -> None:
    both = {"category": ["billing", "network"], "title": "Remote access"}
    assert sources(base, "refund tunnel from home", filters=both) == {"network/vpn.md"}


@pytest.mark.parametrize(
    ("filters", "name"),
    [
        ({"category": {"liek": "x"}}, "liek"),
        ({"kategory": "billing"}, "kategory"),
        ({"category": "billing", "titel": "x"}, "titel"),
    ],
)
def test_what_is_no_condition_is_refused_by_name(
    base: KnowledgeBase, filters: object, name: str
) -> None:
    with pytest.raises(InvalidInput, match=name):
        base.lookup("refund", filters=filters)


def test_a_category_is_compared_whole(base: KnowledgeBase) -> None:
    found = sources(base, "wires of the network", filters={"category": " Network "})
    assert found
    assert "lines.md" not in found


@pytest.mark.parametrize("top_k", [0, -1, 1_001, True, 1.5, "many"])
def test_top_k_counts_blocks(base: KnowledgeBase, top_k: object) -> None:
    assert len(base.lookup("refund badge shuttle", top_k=2).evidence_blocks) == 2
    assert len(base.lookup("refund badge shuttle", top_k=1_000).evidence_blocks) <= 7
    with pytest.raises(InvalidInput, match="top_k"):
        base.lookup("refund", top_k=top_k)


@pytest.mark.parametrize("query", ["", "\t\u3000", "¿?…—", "\u200b\u2060", "\u202e\u0301"])
def test_a_query_without_a_word_is_refused(base: KnowledgeBase, query: str) -> None:
    result = base.lookup(query)
    assert (result.outcome, result.evidence_blocks, result.l1.attempted) == ("refused", (), False)


def test_a_block_lists_each_passage_that_matched(base: KnowledgeBase) -> None:
    found = base.lookup("refund within thirty days paid to the card in five working days")
    block = next(b for b in found.evidence_blocks if b.source == "billing/refund.md")
    assert {span.breadcrumb[-1] for span in block.passages} >= {"Time limit", "How it is paid"}


def test_a_source_is_labelled_once() -> None:
    with pytest.raises(ValueError, match=r"'a\.md'"):
        parse_case('{"id": "q", "query": "q", "relevant": {"a.md": 1, "b.md": 1, "a.md": 2}}')


def test_a_stored_index_is_asked_without_a_key_and_a_network(
    base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    def refuse(*_: object) -> None:
        raise AssertionError("a lookup connects to something")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    settings = {"state_dir": str(base.location.state_dir), "embedding": {"model": "hash:64"}}
    with KnowledgeBase.open(base.location.root, settings) as again:
        result = again.lookup("guest network")
    assert (result.retrieval_layer, result.l1.status) == ("L0+L1", "ok")
