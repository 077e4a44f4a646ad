"""Which hits outside the derived filter come in, with vectors that count words."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval import KnowledgeBase
from retrieval.semantic.relaxing import relax_worded
from retrieval.types import FilterDecision, L1Request

QUERY = "desk rules"


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[KnowledgeBase]:
    notes = tmp_path / "notes"
    notes.mkdir()
    for name, category, keyword, body in (
        ("desk", "office", "desk", "Desk rules."),
        ("leave", "hr", "leave", "Leave rules name desk hours also."),
        ("menu", "canteen", "menu", "Soup on Fridays."),
    ):
        head = f"---\ntitle: {name.title()}\nkeywords: [{keyword}]\ncategory: {category}\n---\n"
        (notes / f"{name}.md").write_text(f"{head}{body}\n")
    settings = {"state_dir": str(tmp_path / "state"), "embedding": {"model": "hash:256"}}
    with KnowledgeBase.open(notes, settings) as base:
        base.reindex()
        yield base


def found(kb: KnowledgeBase, **options: object) -> dict[str, bool]:
    result = kb.lookup(QUERY, **options)  # type: ignore[arg-type]
    assert result.filter.category == "office"
    return {block.source: block.relaxed for block in result.evidence_blocks}


def test_a_hit_that_trails_by_more_than_the_margin_stays_out(kb: KnowledgeBase) -> None:
    cosines = {b.source: b.score for b in kb.lookup(QUERY, filter_mode="off").evidence_blocks}
    assert cosines["leave.md"] is not None
    assert cosines["desk.md"] is not None
    assert 0.35 < cosines["leave.md"] < cosines["desk.md"] - 0.1
    assert found(kb) == {"desk.md": False}


def test_of_the_categories_that_the_caller_names_all_are_wanted(kb: KnowledgeBase) -> None:
    named = {"category": ["office", "hr"]}
    assert found(kb, filters=named) == {"desk.md": False, "leave.md": True}
    assert found(kb, filters=named, filter_mode="strict") == {"desk.md": False}


def test_naming_what_is_not_wanted_leaves_the_margin(kb: KnowledgeBase) -> None:
    assert found(kb, filters={"category": {"ne": "canteen"}}) == {"desk.md": False}


def test_of_a_query_without_a_cosine_full_text_is_the_measure() -> None:
    decision = FilterDecision(mode="auto", category="office")
    request = L1Request(
        query="质量", mode="hybrid", decision=decision, relax_margin=0.1, semantic_floor=0.3
    )
    best = {"inside.md": 5.0, "near.md": 4.1, "far.md": 3.9}
    assert relax_worded(best, {"near.md", "far.md"}, request) == {"near.md"}
    wide = replace(request, relax_margin=0.5)
    assert relax_worded(best, {"near.md", "far.md"}, wide) == {"near.md", "far.md"}
    none_inside = {"near.md": 4.1, "far.md": 1.0}
    assert relax_worded(none_inside, set(none_inside), request) == {"near.md"}


@pytest.mark.parametrize("script", ["质量", "качество"])
def test_a_note_in_another_script_is_found_past_a_wrong_filter(tmp_path: Path, script: str) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text(f"---\ntitle: Wifi\ncategory: net\nkeywords: [{script}]\n---\nX.\n")
    (notes / "b.md").write_text(
        f"---\ntitle: Wahl\ncategory: other\n---\n{script} {script} 手册.\n"
    )
    settings = {
        "state_dir": str(tmp_path / "state"),
        "embedding": {"model": "hash:64", "scripts": ["LATIN"]},
    }
    with KnowledgeBase.open(notes, settings) as base:
        base.reindex()
        blocks = {b.source: b.relaxed for b in base.lookup(script).evidence_blocks}
        assert blocks == {"a.md": False, "b.md": True}
        strict = base.lookup(script, filter_mode="strict")
        assert [b.source for b in strict.evidence_blocks] == ["a.md"]
