from dataclasses import replace
from pathlib import Path

import pytest

from eval_sets.gate import (
    Baseline,
    Regression,
    baseline_of,
    broken_promises,
    compare_to_baseline,
    load_baseline,
    save_baseline,
)
from eval_sets.harness import run
from eval_sets.results import Report
from eval_sets.types import EvalSet, Variant
from eval_sets.variants import parse_variant
from retrieval.errors import InvalidInput
from retrieval.knowledge_base import KnowledgeBase
from tests.eval_sets.lab import MODEL, REFUND, WIFI, indexed, labelled
from tests.eval_sets.samples import failed
from tests.notes import NOTES

VARIANTS = ("l0", "l1", "l0+l1")


@pytest.fixture(scope="module")
def baseline(report: Report) -> Baseline:
    return baseline_of(report)


def _fallen(found: tuple[Regression, ...]) -> set[tuple[str, str, str | None]]:
    return {(r.variant, r.metric, r.stratum) for r in found}


def test_a_report_is_no_worse_than_itself(report: Report, baseline: Baseline) -> None:
    assert compare_to_baseline(report, baseline, tolerance=0.0) == ()


def test_a_baseline_survives_its_file(report: Report, baseline: Baseline, tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    save_baseline(path, baseline)
    assert load_baseline(path) == baseline
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 100
    assert '"exact-1", "exact-2"' in text
    assert baseline.variants["l0"].means["nDCG@10"] == 0.4286
    assert baseline.variants["l0+l1"].means["filter.as_expected"] == 1.0
    assert baseline.variants["l0"].means["l0.matched"] == 0.4286
    assert "l0.matched" not in baseline.variants["l1"].means
    assert baseline.variants["l0+l1"].figures["fallback.quality.l1-raises"] == 0.8323
    assert "l1.answered" not in baseline.variants["l0"].figures
    assert baseline.variants["l1"].figures["l1.answered"] == 1.0


def test_a_dropped_keyword_turns_it_red(baseline: Baseline, tmp_path: Path) -> None:
    poorer = NOTES[REFUND].replace("keywords: [refund policy, money back]\n", "")
    changed = labelled(tmp_path / "set", **{REFUND: poorer})
    with indexed(changed, tmp_path / "state") as base:
        found = compare_to_baseline(run(changed, base, VARIANTS, resamples=50), baseline)
    overall, stratum = (
        next(r for r in found if (r.variant, r.metric, r.stratum) == ("l0", "nDCG@10", s))
        for s in (None, "exact")
    )
    assert (overall.before, overall.after) == (pytest.approx(3 / 7), pytest.approx(2 / 7))
    assert (stratum.before, stratum.after) == (1.0, 0.5)
    (move,) = stratum.moved
    assert (move.case_id, move.before, move.after) == ("exact-1", 1.0, 0.0)
    assert {("l0", "l0.matched", "exact"), ("l0+l1", "l0.matched", "exact")} <= _fallen(found)
    assert stratum.sentence() == "l0: nDCG@10 in exact fell from 1.000 to 0.500 (-0.500)."


def test_a_forced_filter_turns_it_red(
    small: EvalSet, base: KnowledgeBase, baseline: Baseline
) -> None:
    forced = {"lookup": {"filter_mode": "strict"}, "embedding": {"model": MODEL}}
    forced["state_dir"] = base.location.state_dir  # type: ignore[assignment]
    with KnowledgeBase.open(small.knowledge_base, forced) as strict:
        report = run(small, strict, VARIANTS, resamples=50)
    found = compare_to_baseline(report, baseline)
    fallen = _fallen(found)
    assert ("l0+l1", "nDCG@10", "trap") in fallen
    assert ("l0+l1", "filter.change", None) in fallen
    assert {r.variant for r in found} == {"l0+l1"}
    trap = next(r for r in found if r.stratum == "trap")
    assert [move.case_id for move in trap.moved] == ["trap-1"]


def test_an_l1_that_raises_turns_it_red(
    small: EvalSet, base: KnowledgeBase, baseline: Baseline
) -> None:
    broken = [
        parse_variant("l0"),
        *(replace(parse_variant(name), fault="l1-raises") for name in VARIANTS[1:]),
    ]
    found = compare_to_baseline(run(small, base, broken, resamples=50), baseline)
    fallen = _fallen(found)
    assert ("l1", "nDCG@10", None) in fallen
    assert ("l1", "l1.answered", None) in fallen
    assert ("l0+l1", "l1.answered", None) in fallen
    assert "l0" not in {r.variant for r in found}
    lost = next(r for r in found if (r.variant, r.metric, r.stratum) == ("l1", "nDCG@10", None))
    assert (lost.before, lost.after) == (pytest.approx(0.9948, abs=1e-4), 0.0)
    assert len(lost.moved) == 7


def test_a_tolerance_lets_small_losses_pass(report: Report, baseline: Baseline) -> None:
    values = {name: dict(of) for name, of in report.values.items()}
    values["l0"]["nDCG@10"] = {**values["l0"]["nDCG@10"], "exact-1": 0.9}
    poorer = replace(report, values=values)
    assert compare_to_baseline(poorer, baseline, tolerance=0.06) == ()
    assert _fallen(compare_to_baseline(poorer, baseline, tolerance=0.03)) == {
        ("l0", "nDCG@10", "exact")
    }


def test_a_better_report_is_green(report: Report, baseline: Baseline) -> None:
    values = {name: dict(of) for name, of in report.values.items()}
    values["l0"] = values["l0+l1"]
    assert compare_to_baseline(replace(report, values=values), baseline) == ()


def test_promises_hold_whatever_the_baseline_says(report: Report) -> None:
    assert list(broken_promises(report)) == []
    first, *others = report.faults
    lost = replace(
        first.metrics,
        l0_primary=replace(first.metrics.l0_primary, value=0.75),
        lost=("exact-1",),
        false_semantic=("exact-2",),
    )
    dedupe = dict(report.dedupe)
    dedupe["l1"] = replace(dedupe["l1"], duplicates=2, duplicated=("words-1",))
    crashed = replace(failed("exact-1"), variant="l0")
    bad = replace(
        report,
        faults=(replace(first, metrics=lost, failed=("trap-1",)), *others),
        dedupe=dedupe,
        rows=(crashed, *report.rows[1:]),
    )
    found = list(broken_promises(bad))
    assert {(r.variant, r.metric, r.after, r.moved[0].case_id) for r in found} == {
        ("l0+l1", "fallback.l0_primary.l1-raises", 0.75, "exact-1"),
        ("l0+l1", "fallback.no_false_semantic.l1-raises", 0.0, "exact-2"),
        ("l0+l1", "fallback.no_crash.l1-raises", 0.0, "trap-1"),
        ("l1", "dedupe.no_duplicates", 0.0, "words-1"),
        ("l0", "answered", 0.9, "exact-1"),
    }
    assert set(found) <= set(compare_to_baseline(bad, baseline_of(bad)))


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"set_name": "other"}, "of the set 'lab'"),
        ({"set_digest": "0"}, "other queries or labels"),
        ({"split": "dev"}, "of the split 'all', not 'dev'"),
        ({"metrics": ("MAP",)}, "does not have"),
        ({"variants": (Variant(name="l0:top_k=1"),)}, "'l0:top_k=1'"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    report: Report, baseline: Baseline, changes: dict[str, object], named: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        compare_to_baseline(replace(report, **changes), baseline)  # type: ignore[arg-type]
    assert named in caught.value.message


def test_a_report_with_fewer_variants_is_compared(report: Report, baseline: Baseline) -> None:
    assert compare_to_baseline(replace(report, variants=report.variants[:1]), baseline) == ()


@pytest.mark.parametrize(
    ("text", "named"),
    [("{}", "set_name"), ("no", "JSON"), (None, "cannot be read")],
)
def test_a_file_that_is_no_baseline_is_refused(
    tmp_path: Path, text: str | None, named: str
) -> None:
    path = tmp_path / "baseline.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput) as caught:
        load_baseline(path)
    assert named in caught.value.message


def test_scores_that_fit_no_cases_are_refused(baseline: Baseline, tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    save_baseline(path, baseline.model_copy(update={"cases": baseline.cases[1:]}))
    with pytest.raises(InvalidInput, match="another number"):
        load_baseline(path)


def test_other_metrics_are_gated_by_the_first(small: EvalSet, base: KnowledgeBase) -> None:
    report = run(small, base, ["l0"], metrics=["hit@1", "MAP"], resamples=50)
    kept = baseline_of(report)
    assert set(kept.variants["l0"].values) == {"hit@1", "l0.matched", "filter.as_expected"}
    assert kept.variants["l0"].values["hit@1"][:2] == [1.0, 1.0]
    assert WIFI in report.rows[1].sources
