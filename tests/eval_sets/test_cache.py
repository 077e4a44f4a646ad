from dataclasses import replace
from pathlib import Path

import pytest

from eval_sets import cache as cache_module
from eval_sets.cache import KEPT, RowCache, code_digest, library_versions
from eval_sets.harness import run
from eval_sets.results import Report
from eval_sets.types import Case, EvalSet
from retrieval.knowledge_base import KnowledgeBase
from tests.eval_sets.lab import MODEL, REFUND, WIFI, indexed, labelled
from tests.eval_sets.samples import failed, row


def _run(eval_set: EvalSet, base: KnowledgeBase, *variants: str, **options: object) -> Report:
    return run(eval_set, base, variants or ("l0", "l0+l1"), resamples=50, **options)  # type: ignore[arg-type]


@pytest.fixture
def lab(tmp_path: Path) -> tuple[EvalSet, KnowledgeBase]:
    eval_set = labelled(tmp_path / "set")
    return eval_set, indexed(eval_set, tmp_path / "state")


def test_what_was_put_is_got_under_the_same_key_only(tmp_path: Path) -> None:
    kept = RowCache(tmp_path)
    rows = (row("q1", "a.md", latency_ms=1.5), failed("q2"))
    kept.put({"a": 1, "b": 2}, rows)
    assert kept.get({"b": 2, "a": 1}) == rows
    assert kept.get({"a": 1}) is None


def test_a_cut_file_is_no_row(tmp_path: Path) -> None:
    kept = RowCache(tmp_path)
    kept.put({}, (row(),))
    (path,) = kept.folder.glob("*.json")
    path.write_bytes(path.read_bytes()[:-5])
    assert kept.get({}) is None


def test_the_oldest_files_go(tmp_path: Path) -> None:
    kept = RowCache(tmp_path)
    for number in range(KEPT + 3):
        kept.put({"number": number}, ())
    assert len(list(kept.folder.iterdir())) == KEPT
    assert kept.get({"number": KEPT + 2}) == ()


def test_a_folder_that_cannot_be_written_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / cache_module.FOLDER).write_text("in the way", encoding="utf-8")
    kept = RowCache(tmp_path)
    kept.put({}, (row(),))
    assert kept.get({}) is None


def test_digests_are_stable() -> None:
    assert len(code_digest()) == 12
    assert library_versions()["chromadb"]


def test_a_second_run_is_taken_from_the_cache(lab: tuple[EvalSet, KnowledgeBase]) -> None:
    eval_set, base = lab
    first = _run(eval_set, base)
    second = _run(eval_set, base)
    assert first.cached == ()
    assert second.cached == ("l0", "l0+l1")
    assert replace(second, cached=(), created_at="") == replace(first, created_at="")
    assert _run(eval_set, base, cache=False).cached == ()


def test_another_split_or_label_is_asked_again(lab: tuple[EvalSet, KnowledgeBase]) -> None:
    eval_set, base = lab
    _run(eval_set, base, "l0")
    assert _run(eval_set, base, "l0", split="dev").cached == ()
    first, *others = eval_set.cases
    changed: tuple[Case, ...] = (replace(first, relevant={WIFI: 1}), *others)
    assert _run(replace(eval_set, cases=changed), base, "l0").cached == ()
    assert _run(eval_set, base, "l0").cached == ("l0",)


def test_another_note_is_asked_again(lab: tuple[EvalSet, KnowledgeBase]) -> None:
    eval_set, base = lab
    before = _run(eval_set, base, "l0")
    (eval_set.root / REFUND).write_text("# Refunds\n\nNothing.\n", encoding="utf-8")
    base.reindex()
    after = _run(eval_set, base, "l0")
    assert after.cached == ()
    assert after.digests["notes"] != before.digests["notes"]
    assert after.values["l0"]["MRR"]["exact-1"] == 0.0


def test_other_settings_are_asked_again(lab: tuple[EvalSet, KnowledgeBase], tmp_path: Path) -> None:
    eval_set, base = lab
    _run(eval_set, base, "l0+l1")
    settings = {
        "state_dir": tmp_path / "state",
        "embedding": {"model": MODEL},
        "lookup": {"relax_margin": 0.5},
    }
    with KnowledgeBase.open(eval_set.knowledge_base, settings) as other:
        assert _run(eval_set, other, "l0+l1").cached == ()
        assert _run(eval_set, other, "l0+l1").cached == ("l0+l1",)


def test_an_accident_is_not_kept(tmp_path: Path) -> None:
    eval_set = labelled(tmp_path / "set")
    with indexed(eval_set, tmp_path / "state") as base:
        generation = next((tmp_path / "state" / "index").glob("gen-*"))
        vectors = next(generation.rglob("*.sqlite3"))
        content = vectors.read_bytes()
        vectors.write_bytes(b"\0" * len(content))
        broken = _run(eval_set, base, "l1")
        assert {r.l1_status for r in broken.rows} == {"failed"}
        vectors.write_bytes(content)
    with indexed(eval_set, tmp_path / "state") as base:
        mended = _run(eval_set, base, "l1")
        assert mended.cached == ()
        assert {r.l1_status for r in mended.rows} == {"ok"}
