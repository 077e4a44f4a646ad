from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from eval_sets.calibrating import calibrate_index
from eval_sets.errors import TooFewLabels
from eval_sets.harness import run
from eval_sets.types import EvalSet
from retrieval.errors import IndexMissing
from retrieval.knowledge_base import KnowledgeBase
from tests.eval_sets.lab import MODEL, indexed, labelled
from tests.eval_sets.samples import case


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[tuple[EvalSet, KnowledgeBase]]:
    eval_set = labelled(tmp_path / "set")
    more = [
        case(f"none-{number}", query=query, expect_no_answer=True, split=split)
        for number, (query, split) in enumerate(
            [("volcanoes of iceland", "dev"), ("recipe for rye bread", "dev")], start=3
        )
    ]
    eval_set = replace(eval_set, cases=(*eval_set.cases, *more))
    with indexed(eval_set, tmp_path / "state") as base:
        yield eval_set, base


def test_thresholds_are_found_on_dev_told_on_test_and_stored(
    lab: tuple[EvalSet, KnowledgeBase],
) -> None:
    eval_set, base = lab
    found = calibrate_index(eval_set, base, minimum=2)
    assert (found.calibration.answerable, found.calibration.unanswerable) == (3, 3)
    assert found.calibration.skipped == 0
    assert found.after.false_answer.of == 1
    assert found.after.false_empty.of == 4
    assert found.path == base.location.state_dir / "calibration.json"
    assert found.path.is_file()
    assert (found.index, found.set_digest) == (base.fingerprint.index, eval_set.digest())
    # A later run sees what was told.
    report = run(eval_set, base, ["l0+l1"], split="test", faults=(), resamples=50)
    assert all(row.relevance.calibrated for row in report.rows if row.relevance)
    assert report.no_answer["l0+l1"].levels == found.after.levels
    assert report.no_answer["l0+l1"].points == found.after.points


def test_it_can_be_looked_at_without_storing(lab: tuple[EvalSet, KnowledgeBase]) -> None:
    eval_set, base = lab
    found = calibrate_index(eval_set, base, minimum=2, store=False)
    assert found.path is None
    assert not base.lookup("money back").relevance.calibrated


def test_too_few_labels_are_refused_and_nothing_is_stored(
    lab: tuple[EvalSet, KnowledgeBase],
) -> None:
    eval_set, base = lab
    with pytest.raises(TooFewLabels, match="3 usable queries with an answer and 3 without"):
        calibrate_index(eval_set, base)
    assert not (base.location.state_dir / "calibration.json").exists()


def test_without_an_index_there_is_nothing_to_calibrate(small: EvalSet, tmp_path: Path) -> None:
    settings = {"state_dir": tmp_path, "embedding": {"model": MODEL}}
    with (
        KnowledgeBase.open(small.knowledge_base, settings) as bare,
        pytest.raises(IndexMissing),
    ):
        calibrate_index(small, bare)
