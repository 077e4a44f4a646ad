"""Labels after notes were renamed, edited, cut otherwise, or deleted."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from eval_sets.errors import SetChanged, SetError
from eval_sets.harness import run
from eval_sets.labelling import create_set, judge
from eval_sets.labelling.contents import FILE
from eval_sets.labelling.lines import read_lines
from eval_sets.labelling.renames import apply_renames, propose_renames
from eval_sets.loading import load_set
from retrieval.errors import InvalidInput
from retrieval.knowledge_base import KnowledgeBase
from tests.notes import NOTES, write_notes

REFUND, WIFI, VPN = "billing/refund.md", "network/wifi.md", "network/vpn.md"
LONG = "".join(f"Step {n}: turn the valve number {n} and note value {n * 7}.\n" for n in range(60))


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[KnowledgeBase]:
    write_notes(tmp_path / "docs")
    (tmp_path / "docs" / "valves.md").write_text(f"# Valves\n\n{LONG}", encoding="utf-8")
    (tmp_path / "knowledge.toml").write_text(
        'root = "docs"\n[embedding]\nmodel = "hash:64"\n', encoding="utf-8"
    )
    with KnowledgeBase.open(tmp_path) as opened:
        yield opened


@pytest.fixture
def folder(kb: KnowledgeBase) -> Path:
    made = create_set("mine", kb)
    judge(made, "money back", REFUND, 2)
    judge(made, "money back", VPN, 0)
    judge(made, "guest network", WIFI, 2)
    judge(made, "turning valves", "valves.md", 1)
    return made


def _move(kb: KnowledgeBase, source: str, target: str) -> Path:
    path = kb.location.root / target
    path.parent.mkdir(exist_ok=True)
    return (kb.location.root / source).rename(path)


def test_labels_survive_another_cut_into_passages(kb: KnowledgeBase, folder: Path) -> None:
    kb.reindex()
    wide = run(load_set(folder), kb, ["l1"], faults=(), resamples=100, cache=False)
    narrow = 'root = "docs"\n[embedding]\nmodel = "hash:64"\nwindow = 32\n'
    (kb.location.root.parent / "knowledge.toml").write_text(narrow, encoding="utf-8")
    with KnowledgeBase.open(kb.location.root.parent) as cut:
        report = cut.reindex()
        assert report.rebuilt_because is not None
        assert report.passages > sum(len(entry.passages) for entry in kb.entries)
        again = run(load_set(folder), cut, ["l1"], faults=(), resamples=100, cache=False)
    assert [case.relevant for case in again.cases] == [case.relevant for case in wide.cases]
    assert all(value is not None for value in again.values["l1"]["nDCG@10"].values())


def test_a_renamed_note_is_found_by_its_text(kb: KnowledgeBase, folder: Path) -> None:
    _move(kb, REFUND, "payments/give-back.md")
    with pytest.raises(SetError, match="unknown source"):
        load_set(folder)
    (rename,) = propose_renames(folder)
    assert (rename.source, rename.target) == (REFUND, "payments/give-back.md")
    assert rename.likeness == 1.0
    assert len(rename.cases) == 1
    done = apply_renames(folder, {REFUND: "payments/give-back.md"}, token=read_lines(folder).token)
    assert done.lines == 1
    (case,) = [case for case in load_set(folder).cases if case.query == "money back"]
    assert case.relevant == {"payments/give-back.md": 2, VPN: 0}
    assert propose_renames(folder) == ()


def test_it_is_found_after_an_index_run_and_new_frontmatter(
    kb: KnowledgeBase, folder: Path
) -> None:
    kb.reindex()
    path = _move(kb, REFUND, "payments/give-back.md")
    text = path.read_text(encoding="utf-8").replace("category: billing", "category: payments")
    path.write_text(text, encoding="utf-8")
    kb.reindex()
    (rename,) = propose_renames(folder)
    assert (rename.target, rename.likeness) == ("payments/give-back.md", 1.0)


def test_an_edited_note_is_proposed_only_when_nearly_all_is_left(
    kb: KnowledgeBase, folder: Path
) -> None:
    path = _move(kb, "valves.md", "pipes.md")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("number 7 ", "number seven "), encoding="utf-8")
    (rename,) = propose_renames(folder)
    assert rename.target == "pipes.md"
    assert rename.likeness is not None
    assert 0.9 <= rename.likeness < 1.0
    path.write_text(text[: len(text) * 2 // 3], encoding="utf-8")
    (rename,) = propose_renames(folder)
    assert (rename.target, rename.choices) == (None, ("pipes.md",))


def test_two_notes_with_the_text_are_a_question(kb: KnowledgeBase, folder: Path) -> None:
    path = _move(kb, REFUND, "a.md")
    (kb.location.root / "b.md").write_bytes(path.read_bytes())
    (rename,) = propose_renames(folder)
    assert (rename.target, rename.choices) == (None, ("a.md", "b.md"))


def test_a_deleted_note_has_no_target(kb: KnowledgeBase, folder: Path) -> None:
    (kb.location.root / REFUND).unlink()
    (rename,) = propose_renames(folder)
    assert (rename.target, rename.choices) == (None, ())


def test_the_index_knows_what_the_set_did_not_keep(kb: KnowledgeBase, folder: Path) -> None:
    (folder / FILE).unlink()
    kb.reindex()
    _move(kb, REFUND, "moved.md")
    (rename,) = propose_renames(folder)
    assert rename.target == "moved.md"
    kb.reindex()
    (rename,) = propose_renames(folder)
    assert (rename.target, rename.likeness) == (None, None)


def test_renames_are_refused_whole(kb: KnowledgeBase, folder: Path) -> None:
    before = (folder / "cases.jsonl").read_bytes()
    with pytest.raises(InvalidInput, match=r"no/such\.md"):
        apply_renames(folder, {REFUND: "no/such.md"})
    with pytest.raises(SetChanged):
        apply_renames(folder, {REFUND: WIFI}, token="of another file")
    assert (folder / "cases.jsonl").read_bytes() == before


def test_where_both_names_are_labelled_the_higher_grade_stays(
    kb: KnowledgeBase, folder: Path
) -> None:
    apply_renames(folder, {REFUND: VPN})
    (case,) = [case for case in load_set(folder).cases if case.query == "money back"]
    assert case.relevant == {VPN: 2}
    assert set(NOTES) >= set(case.relevant)
