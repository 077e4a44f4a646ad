"""The notes that all tools get, and how much of them a model reads."""

from pathlib import Path

import pytest

from eval_sets.bench.model import read_characters
from eval_sets.bench.notes import copy_part, find_corpora, load_notes, read_notes, save_notes
from eval_sets.bench.peers.packing import LONGEST, pack_paragraphs
from eval_sets.bench.tasks.indexing import read_share
from retrieval.errors import InvalidInput

LONG = " ".join(f"word{number}" for number in range(600))


def _write(root: Path, count: int) -> None:
    for number in range(count):
        path = root / f"area{number}" / "note.md"
        path.parent.mkdir(parents=True)
        path.write_text(f"---\ntitle: T{number}\n---\n# T{number}\n\n{'x' * 90}\n")


def test_a_part_is_as_large_as_wanted_and_always_the_same(tmp_path: Path) -> None:
    _write(tmp_path / "all", 10)
    sizes = [copy_part(tmp_path / "all", tmp_path / name, 300 / 1e6) for name in ("a", "b")]
    first, second = (
        sorted(path.relative_to(tmp_path / name) for path in (tmp_path / name).rglob("*.md"))
        for name in ("a", "b")
    )
    assert first == second
    assert len(first) == 3
    assert sizes[0] == sizes[1] >= 300


def test_notes_come_without_frontmatter_and_survive_the_way_to_a_process(tmp_path: Path) -> None:
    _write(tmp_path / "kb", 2)
    notes = read_notes(tmp_path / "kb")
    assert [note.source for note in notes] == ["area0/note.md", "area1/note.md"]
    assert [note.category for note in notes] == ["area0", "area1"]
    assert all("title:" not in note.text and "x" * 90 in note.text for note in notes)
    save_notes(notes, tmp_path / "notes.json")
    assert load_notes(tmp_path / "notes.json") == notes


def test_data_without_notes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no folder"):
        find_corpora(tmp_path)


def test_the_model_reads_a_short_text_whole_and_a_long_one_to_its_window() -> None:
    whole, cut = read_characters(["A short text.", LONG])
    assert whole == len("A short text.")
    assert 0 < cut < len(LONG)


def test_the_share_counts_each_character_once_and_only_where_the_model_read_it() -> None:
    from eval_sets.bench.notes import Note

    (read,) = read_characters([LONG])
    tail = LONG[read - 20 :]
    note = Note(source="a.md", text=LONG, category="")
    one = read_share([note], [("a.md", LONG)], cut=True)
    both = read_share([note], [("a.md", LONG), ("a.md", tail)], cut=True)
    assert one == pytest.approx(len("".join(LONG[:read].split())) / len("".join(LONG.split())))
    assert one < both <= 1
    assert read_share([note], [("a.md", LONG)], cut=False) == 1
    assert read_share([note], [("b.md", LONG)], cut=True) == 0


def test_packed_paragraphs_hold_everything_and_none_is_too_long() -> None:
    text = "\n\n".join(["short", "x" * 2500, "y" * 600, "z" * 600])
    packed = list(pack_paragraphs(text))
    assert max(map(len, packed)) <= LONGEST
    assert "".join("".join(packed).split()) == "".join(text.split())
    assert list(pack_paragraphs(" \n\n ")) == []
