"""A labelled note that cannot be read: said, scored as missed, and not lost on the way."""

import json
from pathlib import Path

import pytest

from eval_sets import load_set, run
from eval_sets.exporting import export_set
from eval_sets.interchange import import_beir
from eval_sets.types import EvalSet
from retrieval import KnowledgeBase
from retrieval.cli import main


@pytest.fixture
def broken(tmp_path: Path) -> EvalSet:
    folder = tmp_path / "set"
    (folder / "knowledge").mkdir(parents=True)
    (folder / "knowledge" / "a.md").write_text("# Compost\n\nTurn it weekly.\n")
    (folder / "knowledge" / "b.md").write_text("---\ntitle: Pots: clay: red\n---\nFired.\n")
    (folder / "set.yaml").write_text("name: garden\nknowledge: knowledge\n")
    cases = [
        {"id": "1", "query": "compost", "relevant": {"a.md": 3}, "stratum": "exact"},
        {"id": "2", "query": "clay pots", "relevant": {"b.md": 3}, "stratum": "exact"},
    ]
    (folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    return load_set(folder)


def test_the_report_names_the_note_and_its_queries(broken: EvalSet) -> None:
    with KnowledgeBase.open(broken.knowledge_base) as kb:
        report = run(broken, kb, ["l0"], resamples=100, cache=False)
    assert (
        "b.md could not be read and counts as not found. It is labelled for 2." in report.warnings
    )
    assert report.values["l0"]["nDCG@10"] == {"1": 1.0, "2": 0.0}


def test_an_export_keeps_the_note_and_the_import_its_label(broken: EvalSet, tmp_path: Path) -> None:
    export_set(broken, tmp_path / "beir", "beir")
    import_beir(tmp_path / "beir", tmp_path / "back", name="back")
    back = load_set(tmp_path / "back")
    assert {case.id: dict(case.relevant) for case in back.cases} == {
        "1": {"a.md": 3},
        "2": {"b.md": 3},
    }


def test_a_folder_that_cannot_be_made_is_said_before_any_query(
    broken: EvalSet, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    words = ["eval", "run", str(broken.folder), "--variants", "l0", "--out", str(tmp_path / "file")]
    assert main(words) == 2
    assert "--out cannot be made" in " ".join(capsys.readouterr().err.split())
