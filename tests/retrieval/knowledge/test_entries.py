import hashlib
import json

import pytest

from retrieval.settings import KnowledgeSettings
from tests.retrieval.knowledge.notes import read


def entry_of(block, body="Text.", source="note.md", **settings):
    return read(f"---\n{block}\n---\n\n{body}\n", source, KnowledgeSettings(**settings))[0]


def test_title_comes_from_frontmatter_then_heading_then_file():
    assert entry_of("title: Given", "# Heading").title == "Given"
    assert entry_of("title:\nname: Second", "# Heading").title == "Second"
    assert entry_of("x: y", "## Two\n\n# The *first* `h1` {#id}").title == "The first h1"
    assert entry_of("title: '?!'", "Text.", "a/pay-run.md").title == "pay-run"


def test_a_note_that_goes_by_its_file_name_is_told():
    _, issues = read("Only text.\n", "loose.md")
    assert [(issue.code, issue.severity) for issue in issues] == [("missing_title", "warning")]
    assert read("---\ntitle: loose\n---\n", "loose.md")[1] == []


@pytest.mark.parametrize(
    ("block", "keywords"),
    [
        ("keywords:", ()),
        ("keywords: []", ()),
        ("other: x", ()),
        ('keywords: [printer, ~, null, "", " - ", "?!"]', ("printer",)),
        ("keywords: [no, on, yes, off, y, true]", ("no", "on", "yes", "off", "y", "true")),
        ("keywords: [12:30, 18:00]", ("12:30", "18:00")),
        ("keywords: vpn, remote access ,  token", ("vpn", "remote access", "token")),
        ("keywords: 网关，限流、认证", ("网关", "限流", "认证")),
        ("keywords: ['Paris, France', x]", ("Paris, France", "x")),
        ("keywords: [kw]\ntags: [tag, KW, Kw]\nAlias: other", ("kw", "tag", "other")),
        ("KEYWORDS: [upper]\nTag: one", ("upper", "one")),
        ("tags: ['#vpn', 'C#', '#1']", ("vpn", "C#", "#1")),
        ("keywords: [e-mail, E Mail]", ("e-mail",)),
        ("keywords:\n  - name: cable\n  - [adapter, hub]\n  - 42\n  - 3.5",
         ("cable", "adapter", "hub", "42", "3.5")),
        ("keywords: [{name: cable, weight: 3}]", ("cable",)),
        ("keywords: {wifi: , vpn: }", ("wifi", "vpn")),
        ("keywords: [[wifi]]", ("wifi",)),
        ("tags: ['[[Page|shown]]', '[[A, B]]']", ("Page", "A, B")),
        ("keywords: |\n  one\n  two", ("one", "two")),
    ],
)  # fmt: skip
def test_keywords(block, keywords):
    assert entry_of(block).keywords == keywords


def test_a_mapping_without_one_reading_is_left_out_and_told():
    entry, issues = read("---\ntitle: A\nkeywords: [x, {a: 1, b: 2}]\n---\n")
    assert entry.keywords == ("x",)
    assert [issue.code for issue in issues] == ["unread_value"]


@pytest.mark.parametrize(
    ("block", "source", "categories"),
    [
        ("category: on", "a.md", ("on",)),
        ("Domain: office", "a.md", ("office",)),
        ("category: ~\nsection: Desk", "x/a.md", ("Desk",)),
        ("category: a\nproduct: b", "a.md", ("a",)),
        ("categories: [Cloud, cloud, ~, Data]", "a.md", ("Cloud", "Data")),
        ("category: Food, drink", "a.md", ("Food, drink",)),
        ("x: y", "billing/refunds/a.md", ("billing",)),
        ("x: y", "a.md", ()),
    ],
)
def test_categories(block, source, categories):
    entry = entry_of(block, source=source)
    assert entry.categories == categories
    assert entry.category == (categories[0] if categories else None)


def test_folder_as_category_can_be_off():
    assert entry_of("x: y", source="billing/a.md", folder_as_category=False).categories == ()


def test_keys_follow_the_settings():
    entry = entry_of(
        "subject: S\nlabels: [l]\nteam: T\nsecret: no\nkeywords: [k]",
        title=("subject",),
        keywords=("labels",),
        category=("team",),
        ignore=("Secret",),
    )
    assert (entry.title, entry.keywords, entry.category) == ("S", ("l",), "T")
    assert entry.metadata == {"keywords": ["k"]}


def test_metadata_is_what_no_field_took():
    entry = entry_of(
        "title: T\nname: N\ncategory: c\nsection: s\ntags:\nupdated: 2024-02-30\n"
        "1: one\nnested: {a: [b]}"
    )
    assert entry.metadata == {
        "name": "N", "section": "s", "updated": "2024-02-30", "1": "one", "nested": {"a": ["b"]},
    }  # fmt: skip
    assert json.loads(json.dumps(entry.metadata, allow_nan=False)) == entry.metadata


def test_a_title_twice_is_the_first():
    entry, issues = read("---\ntitle: A\ntitle: B\n---\n")
    assert entry.title == "A"
    assert [issue.line for issue in issues] == [3]


def test_entities_named_and_derived():
    entry = entry_of(
        "title: Reset DSP-4031 over the API\nentities: [api, Quay7]\n"
        "keywords: [net.bgp.session_down]",
        "# PostgreSQL and 用SSO登录\n\nBody words like JSON do not count.\n\n"
        "## max_tokens for iCal, APIs and IT\n",
    )
    assert entry.entities == ("api", "Quay7")
    assert entry.derived_entities == (
        "DSP-4031", "PostgreSQL", "SSO", "max_tokens", "iCal", "net.bgp.session_down",
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["HOW TO RESET A PASSWORD", "e.g. this", "A note 2024", "Plain words", "x-API_", "v1.2.3"],
)
def test_no_entity_here(text):
    assert entry_of(f"title: '{text}'").derived_entities == ()


def test_identity_and_hash():
    note = "---\ntitle: A\n---\nText.\n"
    entry, _ = read(note, "north/a.md")
    assert entry.content_hash == hashlib.sha256(note.encode()).hexdigest()
    assert [(p.id, p.source) for p in entry.passages] == [("north/a.md#0", "north/a.md")]


def test_long_frontmatter_stays_out_of_the_passages():
    keywords = "\n".join(f"  - part-{n}" for n in range(2000))
    entry, _ = read(f"---\ntitle: Parts\nkeywords:\n{keywords}\n---\n\nSeal kit.\n")
    assert len(entry.keywords) == 2000
    assert [p.text for p in entry.passages] == ["Seal kit."]
