"""The Evaluate page's runs, on a small labelled set with a real index."""

from pathlib import Path

import pytest

from eval_sets.types import EvalSet, Variant
from eval_sets.variants import parse_variant
from retrieval.errors import IndexMissing, InvalidInput
from retrieval.knowledge_base import KnowledgeBase
from tests.eval_sets.lab import MODEL, labelled
from workbench.services.asking_again import ask_again
from workbench.services.evaluating import (
    Evaluated,
    Plan,
    evaluate,
    offered_sets,
    open_set,
    planned_stages,
    read_variants,
)
from workbench.services.jobs import Job, Stopped, Tell
from workbench.services.saved_reports import compare_with_saved, read_path, read_upload


@pytest.fixture
def lab(tmp_path: Path) -> EvalSet:
    eval_set = labelled(tmp_path / "lab")
    settings = f'root = "knowledge"\n[embedding]\nmodel = "{MODEL}"\n'
    (eval_set.folder / "knowledge.toml").write_text(settings, encoding="utf-8")
    return open_set(eval_set.folder)


def _plan(lab: EvalSet, *variants: str, **choices: object) -> Plan:
    parsed = tuple(map(parse_variant, variants))
    given = {"against": parsed[0].name, "faults": False, **choices}
    return Plan(folder=lab.folder, variants=parsed, **given)  # type: ignore[arg-type]


def _silent(stage: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


def test_a_missing_index_is_built_and_every_stage_is_planned(lab: EvalSet) -> None:
    told: list[tuple[str, int, int]] = []
    plan = _plan(lab, "l0", "l0+l1", faults=True)
    with KnowledgeBase.open(lab.knowledge_base) as base:
        assert not base.has_index()
        done = evaluate(base, plan, lambda *step: told.append(step))
        assert base.has_index()
    assert [variant.name for variant in done.report.variants] == ["l0", "l0+l1"]
    assert ("l0", len(lab.cases), len(lab.cases)) in told
    stages = {stage for stage, _, _ in told} - {"load", "embed"}
    assert stages <= set(planned_stages(plan))
    assert {"l0", "l0+l1", "l0+l1 under l1-raises"} <= stages


def test_another_knowledge_base_than_the_open_one_is_opened_for_the_set(
    lab: EvalSet, notes: Path
) -> None:
    with KnowledgeBase.open(notes) as base:
        done = evaluate(base, _plan(lab, "l0"), _silent)
    assert done.knowledge_base == lab.knowledge_base
    assert len(done.report.rows) == len(lab.cases)


def test_strata_and_split_narrow_the_queries(lab: EvalSet) -> None:
    with KnowledgeBase.open(lab.knowledge_base) as base:
        done = evaluate(base, _plan(lab, "l0", strata=("words",), split="test"), _silent)
        assert [case.id for case in done.report.cases] == ["words-2", "words-3"]
        assert "words" in done.notes[0]
        with pytest.raises(InvalidInput, match="No query"):
            evaluate(base, _plan(lab, "l0", strata=("gone",)), _silent)


def test_a_cancelled_run_leaves_an_index_that_answers_and_can_be_run_again(lab: EvalSet) -> None:
    plan = _plan(lab, "l0", "l0+l1")
    with KnowledgeBase.open(lab.knowledge_base) as base:
        jobs: list[Job[Evaluated]] = []

        def work(tell: Tell) -> Evaluated:
            def told(stage: str, done: int, total: int) -> None:
                if stage == "l0+l1" and done == 2:
                    jobs[0].stop()
                tell(stage, done, total)

            return evaluate(base, plan, told)

        jobs.append(Job(work, planned_stages(plan)))
        with pytest.raises(Stopped):
            jobs[0].result(60)
        assert jobs[0].step.stage == "l0+l1"
        assert jobs[0].step.done == 1
        again = evaluate(base, plan, _silent)
    assert len(again.report.rows) == 2 * len(lab.cases)
    assert again.report.cached == ("l0",)


def test_read_only_builds_no_index(lab: EvalSet) -> None:
    with KnowledgeBase.open(lab.knowledge_base) as base:
        with pytest.raises(IndexMissing, match="read-only"):
            evaluate(base, _plan(lab, "l1"), _silent, read_only=True)
        done = evaluate(base, _plan(lab, "l0"), _silent, read_only=True)
        assert not base.has_index()
    assert len(done.report.rows) == len(lab.cases)


def test_every_wrong_variant_is_an_error_and_the_others_stay(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[embedding]\nmodel = "hash:64"\n', encoding="utf-8")
    texts = ["l0, l1", "l2", "l0+l1:top=3", "l0", f"own={own}"]
    variants, errors = read_variants(texts)
    assert [variant.name for variant in variants] == ["l0", "l1", "own"]
    assert [error.message.split("'")[1] for error in errors] == ["l2", "l0+l1:top=3"]
    variants, errors = read_variants(texts[-1:], read_only=True)
    assert variants == ()
    assert "index of its own" in errors[0].message


def test_bundled_sets_and_that_of_the_knowledge_base_are_offered(lab: EvalSet) -> None:
    with KnowledgeBase.open(lab.knowledge_base) as base:
        assert {"lab", "starter", "starter-zh"} <= {found.name for found in offered_sets(base)}
    with pytest.raises(InvalidInput, match="no labelled set"):
        open_set(lab.folder / "knowledge")


def test_asking_again_gives_what_the_run_ranked_and_records_nothing(lab: EvalSet) -> None:
    names = ("l0", "l0+l1", "l0+l1:fault=index-missing")
    with KnowledgeBase.open(lab.knowledge_base) as base:
        done = evaluate(base, _plan(lab, *names), _silent)
        for case in lab.cases:
            pair = ask_again(base, done, case.id, names[1], names[2])
            assert not pair.changed or pair.right.l1.status == "not_ready"
            for name, result in ((names[1], pair.left), (names[2], pair.right)):
                row = next(r for r in done.report.of_variant(name) if r.case_id == case.id)
                ranked = [source for source in row.sources if source not in case.exclude]
                assert [block.source for block in result.evidence_blocks] == ranked
        assert base.records().list() == []


def test_a_changed_note_is_told_when_a_query_is_asked_again(lab: EvalSet) -> None:
    with KnowledgeBase.open(lab.knowledge_base) as base:
        done = evaluate(base, _plan(lab, "l0", "l0+l1"), _silent)
        assert not ask_again(base, done, "exact-1", "l0", "l0+l1").changed
        (lab.root / "billing/refund.md").write_text("# Refunds\n\nNo money back.\n", "utf-8")
        base.reindex()
        assert ask_again(base, done, "exact-1", "l0", "l0+l1").changed


def test_a_saved_report_is_read_back_and_compared(lab: EvalSet, tmp_path: Path) -> None:
    from eval_sets.report import render, save_report

    with KnowledgeBase.open(lab.knowledge_base) as base:
        report = evaluate(base, _plan(lab, "l0", "l1"), _silent).report
    save_report(report, tmp_path / "out", formats=["json"])
    saved = read_path(str(tmp_path / "out"))
    assert saved == read_upload(render(report, "json").encode(), "up.json")
    document = compare_with_saved(saved, report, name="out", variants=("l0", "l1"))
    assert document.subtitle.startswith("A: out · B: this run · 10 queries")
    with pytest.raises(InvalidInput, match=r"up\.json is no report"):
        read_upload(b'{"schema_version": "1"}', "up.json")
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_path(str(tmp_path / "gone.json"))


def test_stages_leave_out_what_is_not_asked() -> None:
    variants = tuple(map(parse_variant, ("l0", "l0+l1:filter=off", "l0+l1:fault=l1-raises")))
    plan = Plan(folder=Path(), variants=variants, against="l0", faults=False)
    assert planned_stages(plan) == tuple(variant.name for variant in variants)
    defaults = Plan(folder=Path(), variants=(Variant(name="mine"),), against="mine", faults=False)
    assert planned_stages(defaults) == ("mine", "mine without filter")
