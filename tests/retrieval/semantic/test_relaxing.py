"""Which hits outside the derived filter come in, with vectors that count words."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval import KnowledgeBase

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
