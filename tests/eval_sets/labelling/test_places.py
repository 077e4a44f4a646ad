"""Sets that judge notes where they are: made, copied, listed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from eval_sets.labelling import create_set, judge, list_sets, read_judgements, writable_set
from eval_sets.loading import load_set
from eval_sets.sets import bundled_sets
from retrieval.errors import InvalidInput
from retrieval.knowledge_base import KnowledgeBase
from tests.eval_sets.samples import write_set
from tests.notes import write_notes

REFUND = "billing/refund.md"


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[KnowledgeBase]:
    (tmp_path / "base").mkdir()
    write_notes(tmp_path / "base" / "docs")
    (tmp_path / "base" / "knowledge.toml").write_text('root = "docs"\n', encoding="utf-8")
    with KnowledgeBase.open(tmp_path / "base") as opened:
        yield opened


@pytest.fixture
def starter() -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(bundled_sets()["starter"] / "knowledge") as opened:
        yield opened


def test_a_new_set_judges_the_notes_where_they_are(kb: KnowledgeBase) -> None:
    folder = create_set("hand book", kb, language="en")
    (empty,) = list_sets(kb)
    assert (empty.name, empty.queries, empty.problem) == ("hand book", 0, None)
    judge(folder, "money back", REFUND, 2)
    loaded = load_set(folder)
    assert loaded.root == kb.location.root
    assert not list(folder.rglob("*.md"))
    assert [(s.queries, s.judged, s.bundled) for s in list_sets(kb)] == [(1, 1, False)]


def test_a_set_moves_with_its_knowledge_base(kb: KnowledgeBase, tmp_path: Path) -> None:
    judge(create_set("mine", kb), "money back", REFUND, 2)
    moved = (tmp_path / "base").rename(tmp_path / "elsewhere")
    assert load_set(moved / "sets" / "mine").root == moved / "docs"


def test_sets_lie_where_the_settings_say(tmp_path: Path) -> None:
    notes = write_notes(tmp_path / "notes")
    with KnowledgeBase.open(notes, {"sets_dir": str(tmp_path / "labels")}) as kb:
        folder = create_set("mine", kb)
        assert folder == tmp_path / "labels" / "mine"
        judge(folder, "money back", REFUND, 2)
        assert load_set(folder).root == notes
        write_set(tmp_path / "labels" / "of-other-notes", [{"id": "a", "query": "refund"}])
        assert [summary.name for summary in list_sets(kb)] == ["mine"]


@pytest.mark.parametrize("name", ["", "..", "a/b", ".hidden", "x" * 81])
def test_unusable_names_are_refused(kb: KnowledgeBase, name: str) -> None:
    with pytest.raises(InvalidInput, match="not usable"):
        create_set(name, kb)


def test_a_name_is_given_once(kb: KnowledgeBase, starter: KnowledgeBase) -> None:
    create_set("mine", kb)
    with pytest.raises(InvalidInput, match="already"):
        create_set("mine", kb)
    with pytest.raises(InvalidInput, match="already"):
        create_set("starter", starter)


def test_a_bundled_set_is_copied_on_the_first_judgement(starter: KnowledgeBase) -> None:
    bundled = bundled_sets()["starter"]
    assert [(s.name, s.bundled) for s in list_sets(starter)] == [("starter", True)]
    seen = read_judgements(bundled, "something new")
    folder = writable_set(bundled, starter)
    judge(folder, "something new", "billing/refund-window.md", 3, token=seen.token)
    assert not list(folder.rglob("*.md"))
    copy, original = load_set(folder), load_set(bundled)
    assert copy.cases[:-1] == original.cases
    assert copy.root == original.root
    assert writable_set(bundled, starter) == folder
    assert [(s.name, s.bundled, s.folder) for s in list_sets(starter)] == [
        ("starter", False, folder)
    ]


def test_a_set_that_cannot_be_read_is_listed_with_its_problem(kb: KnowledgeBase) -> None:
    folder = create_set("mine", kb)
    (folder / "cases.jsonl").write_text("{no json\n", encoding="utf-8")
    (summary,) = list_sets(kb)
    assert summary.problem is not None
    assert "cases.jsonl:1" in summary.problem
