import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_sets.errors import SetError
from eval_sets.interchange.documents import file_names, write_notes
from retrieval.knowledge import load_knowledge
from retrieval.settings import KnowledgeSettings
from retrieval.types import Entry


def _write(path: Path, *documents: dict[str, Any] | str) -> Path:
    lines = [d if isinstance(d, str) else json.dumps(d) for d in documents]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _entries(root: Path) -> dict[str, Entry]:
    knowledge = load_knowledge(
        root, KnowledgeSettings(), window=256, measure=lambda text: len(text.split())
    )
    assert knowledge.report.issues == ()
    return {entry.source: entry for entry in knowledge.entries}


def test_documents_become_notes_that_load(tmp_path: Path) -> None:
    corpus = _write(
        tmp_path / "corpus.jsonl",
        {"_id": "1", "title": 'Yes: "quoted" #1 — ü', "text": "One.\r\n\r\n---\nTwo.", "url": "x"},
        {"_id": 2, "title": "", "text": "# Heading\n\nBody.", "metadata": {}},
        {"_id": "3", "title": "true", "text": "", "category": "Ops", "keywords": ["a: b", "c"]},
    )
    sources = write_notes(corpus, tmp_path / "notes")
    assert sources == {"1": "1.md", "2": "2.md", "3": "3.md"}
    entries = _entries(tmp_path / "notes")
    assert entries["1.md"].title == 'Yes: "quoted" #1 — ü'
    assert entries["1.md"].passages[0].text == "One.\n\n---\nTwo."
    assert entries["2.md"].title == "Heading"
    assert (entries["3.md"].title, entries["3.md"].categories) == ("true", ("Ops",))
    assert entries["3.md"].keywords == ("a: b", "c")


def test_file_names_are_safe_and_differ() -> None:
    ids = [
        "A1",
        "a1",
        "x/y",
        "x_y",
        "../up",
        ".hidden",
        "CON",
        "nul.txt",
        "a b",
        "",
        "ü",
        "l" * 300,
    ]
    names = file_names(iter(ids))
    assert names["A1"] == "A1.md"
    assert names["ü"] == "ü.md"
    assert names["x_y"] == "x_y.md"
    assert len({name.casefold() for name in names.values()}) == len(ids)
    for name in names.values():
        assert "/" not in name
        assert not name.startswith((".", "CON.", "nul."))
        assert len(name) < 100


def test_an_id_that_is_a_path_of_a_note_stays_it() -> None:
    ids = ["access/登录令牌.md", "a/../b.md", "/abs.md", "a//b.md", ".git/x.md", "a b/c.md"]
    names = file_names(iter(ids))
    assert names["access/登录令牌.md"] == "access/登录令牌.md"
    assert all("/" not in names[identifier] for identifier in ids[1:])


@given(st.lists(st.text(min_size=1, max_size=12), unique=True, max_size=12))
def test_any_ids_get_names_of_their_own_below_the_root(ids: list[str]) -> None:
    names = file_names(iter(ids))
    assert len({name.casefold() for name in names.values()}) == len(ids)
    for name in names.values():
        assert name.endswith(".md")
        assert not any(part in ("", ".", "..") for part in name.split("/"))


def test_bad_lines_of_a_corpus_are_told_and_nothing_is_written(tmp_path: Path) -> None:
    corpus = _write(
        tmp_path / "corpus.jsonl",
        "{",
        {"title": "no id", "text": "x"},
        {"_id": "1", "text": "x"},
        {"_id": "1", "text": "y"},
        {"_id": "2", "title": "no text"},
        "[]",
    )
    with pytest.raises(SetError) as caught:
        write_notes(corpus, tmp_path / "notes")
    assert [str(problem) for problem in caught.value.problems] == [
        "corpus.jsonl:1: no JSON: Expecting property name enclosed in double quotes",
        "corpus.jsonl:2: no object with an '_id'",
        "corpus.jsonl:4: the id '1' is there twice",
        "corpus.jsonl:5: no 'text'",
        "corpus.jsonl:6: no object with an '_id'",
    ]
    assert not (tmp_path / "notes").exists()
