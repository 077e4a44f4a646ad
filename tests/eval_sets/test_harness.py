import doctest
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from eval_sets import harness
from eval_sets.harness import PROFILES, run
from eval_sets.results import Report
from eval_sets.types import EvalSet, Mean, Row, Variant
from retrieval.errors import IndexMissing, InvalidInput
from retrieval.knowledge_base import KnowledgeBase
from tests.eval_sets.lab import MODEL, REFUND, VPN, WIFI, indexed, labelled


def _timeless(rows: tuple[Row, ...]) -> list[Row]:
    return [replace(row, latency_ms=None, timings_ms={}) for row in rows]


def test_every_query_of_every_variant_has_a_row(report: Report, small: EvalSet) -> None:
    assert [variant.name for variant in report.variants] == ["l0", "l1", "l0+l1"]
    ids = [case.id for case in small.cases]
    for variant in report.variants:
        assert [row.case_id for row in report.of_variant(variant.name)] == ids
    statuses = {row.case_id: row.status for row in report.of_variant("l0")}
    assert statuses["exact-1"] == "evaluated"
    assert statuses["words-1"] == "zero_result"
    assert statuses["open-1"] == "not_judged"
    first = report.of_variant("l0+l1")[0]
    assert first.filter is not None
    assert first.filter.category == "billing"
    assert first.shadow is not None
    assert first.ranking[0].reason_layers == ("L0", "L1")
    assert first.fingerprint is not None
    assert first.fingerprint.index
    assert first.coverage == 1.0


def test_means_state_their_denominator_and_count_empty_answers_as_zero(report: Report) -> None:
    # words-1..3 and half of the traps are out of reach of L0.
    score = report.score("l0", "nDCG@10")
    assert score.mean == Mean(value=pytest.approx(3 / 7), n=7, of=10)
    assert report.score("l0", "nDCG@10", "words").mean == Mean(value=0.0, n=3, of=3)
    assert report.score("l0", "nDCG@10", "none").mean == Mean(value=None, n=0, of=2)
    assert score.interval is not None
    assert score.interval.low < 3 / 7 < score.interval.high
    with pytest.raises(InvalidInput, match="stratum 'typo'"):
        report.score("l0", "nDCG@10", "typo")


def test_the_others_are_compared_against_the_first(report: Report) -> None:
    assert report.baseline == "l0"
    pairs = [(c.a, c.b) for c in report.comparisons if c.metric == "nDCG@10"]
    assert pairs == [("l0", "l1"), ("l0", "l0+l1")]
    first = report.comparisons[0]
    assert (first.n, first.wins, first.ties, first.losses) == (7, 4, 3, 0)
    assert first.p is not None
    assert first.p.value == 0.125
    assert first.p_adjusted == 0.25
    assert "not distinguishable" in first.sentence()
    strata = [(s.stratum, s.comparison.b) for s in report.stratum_comparisons]
    assert strata == [(s, v) for s in ("exact", "words", "trap") for v in ("l1", "l0+l1")]
    assert all(s.comparison.p_adjusted is not None for s in report.stratum_comparisons)


def test_the_filter_is_held_against_its_absence(report: Report) -> None:
    assert list(report.filters) == ["l0+l1"]
    account = report.filters["l0+l1"]
    assert account.fire_rate == Mean(value=0.3, n=10, of=10)
    assert account.route_accuracy == Mean(value=pytest.approx(2 / 3), n=3, of=3)
    assert account.recall_ceiling == pytest.approx(0.9)
    assert account.ceiling == Mean(value=pytest.approx(6 / 7), n=7, of=10)
    assert account.agreement == Mean(value=1.0, n=1, of=10)
    assert account.relaxed_rate == Mean(value=pytest.approx(1 / 3), n=3, of=3)
    assert account.change == Mean(value=0.0, n=3, of=3)
    assert account.harmed == ()


def test_a_strict_filter_harms_where_it_routes_wrong(small: EvalSet, base: KnowledgeBase) -> None:
    report = run(small, base, ["l0+l1:filter=strict"], faults=(), resamples=100)
    account = report.filters["l0+l1:filter=strict"]
    (move,) = account.harmed
    assert (move.case_id, move.category) == ("trap-1", "travel")
    assert move.ranks == {WIFI: (1, None)}
    assert (move.score_before, move.score_after) == (1.0, 0.0)
    assert account.change == Mean(value=pytest.approx(-1 / 3), n=3, of=3)
    assert report.faults == ()


def test_the_fallback_holds_under_every_fault(report: Report) -> None:
    assert [(fault.variant, fault.profile) for fault in report.faults] == [
        ("l0+l1", profile) for profile in PROFILES
    ]
    for fault in report.faults:
        assert fault.metrics.l0_primary == Mean(value=1.0, n=4, of=4)
        assert fault.metrics.records_kept == Mean(value=1.0, n=4, of=4)
        assert fault.metrics.false_semantic == ()
        assert fault.metrics.kept
        assert fault.failed == ()
        assert fault.healthy.value == pytest.approx(0.9948, abs=1e-4)
    by_profile = {fault.profile: fault for fault in report.faults}
    # Full text still orders a fallback while only the dense request is broken.
    assert by_profile["l1-raises"].quality.value == pytest.approx(0.8323, abs=1e-4)
    assert by_profile["index-missing"].quality.value == pytest.approx(3 / 7)


def test_no_record_of_an_evaluation_reaches_the_users(report: Report, base: KnowledgeBase) -> None:
    assert report.faults
    assert not (base.location.state_dir / "records.sqlite3").exists()
    assert not (base.location.state_dir / "spool.jsonl").exists()


def test_merging_and_confidence_have_their_accounts(report: Report) -> None:
    dedupe = report.dedupe["l0+l1"]
    assert (dedupe.duplicates, dedupe.counts_broken) == (0, ())
    assert dedupe.reasons_kept.value == 1.0
    assert report.no_answer["l0+l1"].auroc == 1.0
    (first, second, third) = report.overlaps
    assert (first.a, first.b) == ("l0", "l1")
    assert third.rbo.value is not None
    assert second.rbo.value is not None
    assert third.rbo.value > second.rbo.value


def test_a_second_run_gives_the_same_figures(
    report: Report, small: EvalSet, base: KnowledgeBase
) -> None:
    again = run(small, base, ["l0", "l1", "l0+l1"], resamples=500, cache=False, workers=1)
    assert again.cached == ()
    assert _timeless(again.rows) == _timeless(report.rows)
    same = {"rows": (), "created_at": "", "workers": 1}
    assert replace(again, **same) == replace(report, **same)  # type: ignore[arg-type]


def test_a_report_survives_json(report: Report) -> None:
    adapter = TypeAdapter(Report)
    assert adapter.validate_json(adapter.dump_json(report)) == report


def test_versions_seed_and_digests_stand_in_the_report(
    report: Report, small: EvalSet, base: KnowledgeBase
) -> None:
    assert report.set_digest == small.digest()
    assert (report.seed, report.resamples, report.split) == (0, 500, None)
    assert {"python", "knowledge-lookup-workbench", "chromadb"} <= set(report.versions)
    assert report.digests["index"] == base.fingerprint.index
    assert set(report.digests) == {"notes", "code", "settings", "index", "embedding"}


def test_a_split_and_a_baseline_can_be_named(small: EvalSet, base: KnowledgeBase) -> None:
    report = run(small, base, ["l0", "l1"], split="dev", baseline="l1", resamples=100)
    assert [case.id for case in report.cases] == [
        "exact-1",
        "words-1",
        "trap-1",
        "none-1",
        "open-1",
    ]
    assert (report.comparisons[0].a, report.comparisons[0].b) == ("l1", "l0")


def test_retrieval_goes_as_deep_as_metrics_and_exclusions_need(
    small: EvalSet, base: KnowledgeBase
) -> None:
    shallow = run(small, base, ["l1"], metrics=["nDCG@2"], faults=(), resamples=100)
    lengths = {row.case_id: len(row.ranking) for row in shallow.rows}
    assert lengths["words-1"] == 2
    assert lengths["words-3"] == 3
    (row,) = [row for row in shallow.rows if row.case_id == "words-3"]
    assert row.sources[0] == VPN
    own = run(small, base, ["l1:top_k=1"], metrics=["recall@10"], faults=(), resamples=100)
    assert {len(row.ranking) for row in own.rows} == {1}


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"variants": []}, "No variant"),
        ({"variants": ["l0", "l0"]}, "'l0' is there twice"),
        ({"baseline": "l1"}, "'l1'"),
        ({"metrics": ["nDGC@10"]}, "'nDGC@10'"),
        ({"metrics": []}, "first metric"),
        ({"metrics": ["ragas.id_context_recall"]}, "first metric"),
        ({"metrics": ["MRR", "ragas.recall"]}, "'ragas.recall'"),
        ({"metrics": ["MRR", "ragas.llm_context_recall"]}, "needs an LLM"),
    ],
)
def test_what_cannot_be_run_is_refused_by_name(
    small: EvalSet, base: KnowledgeBase, options: dict[str, object], named: str
) -> None:
    given = {"variants": ["l0"], **options}
    with pytest.raises(InvalidInput) as caught:
        run(small, base, **given)  # type: ignore[arg-type]
    assert named in caught.value.message


def test_an_empty_split_is_refused(small: EvalSet, base: KnowledgeBase) -> None:
    only_dev = replace(small, cases=small.split("dev"))
    with pytest.raises(InvalidInput, match="'test'"):
        run(only_dev, base, ["l0"], split="test")


def test_a_variant_that_needs_an_index_says_so(small: EvalSet, tmp_path: Path) -> None:
    settings = {"state_dir": tmp_path, "embedding": {"model": MODEL}}
    with KnowledgeBase.open(small.knowledge_base, settings) as bare:
        with pytest.raises(IndexMissing, match=r"'l1' needs an index.*not indexed yet"):
            run(small, bare, ["l0", "l1"])
        report = run(small, bare, ["l0", "l0+l1:fault=index-missing"], resamples=100)
    assert report.values["l0"] == report.values["l0+l1:fault=index-missing"]
    assert "index" not in report.digests


def test_a_fault_can_be_a_variant(small: EvalSet, base: KnowledgeBase) -> None:
    report = run(small, base, ["l1", "l1:fault=l1-raises"], resamples=100)
    assert {row.l1_status for row in report.of_variant("l1:fault=l1-raises")} == {"failed"}
    assert report.score("l1:fault=l1-raises", "MRR").mean == Mean(value=0.0, n=7, of=10)
    assert report.faults == ()


def test_progress_names_a_fault_before_its_first_query(small: EvalSet, base: KnowledgeBase) -> None:
    told: list[tuple[str, int, int]] = []
    run(small, base, ["l0+l1"], faults=["l1-off"], progress=lambda *step: told.append(step))
    total = len(small.cases)
    steps = [step for step in told if step[0] == "l0+l1 under l1-off"]
    assert steps[0] == ("l0+l1 under l1-off", 0, total)
    assert steps[-1] == ("l0+l1 under l1-off", total, total)


def test_progress_counts_every_query(small: EvalSet, base: KnowledgeBase) -> None:
    told: list[tuple[str, int, int]] = []
    run(
        small,
        base,
        ["l0"],
        resamples=100,
        cache=False,
        progress=lambda *step: told.append(step),
    )
    assert told == [("l0", done, 10) for done in range(1, 11)]


def test_a_stale_index_is_told(tmp_path: Path) -> None:
    changed = labelled(tmp_path / "set")
    with indexed(changed, tmp_path / "state") as base:
        (changed.root / REFUND).write_text("# Refunds\n\nNothing.\n", encoding="utf-8")
        report = run(changed, base, [Variant(name="l0", settings={"lookup": {"mode": "l0"}})])
    assert len(report.warnings) == 1
    assert report.warnings[0].startswith("1 note has changed since the index was built.")


def test_the_documented_example_runs() -> None:
    result = doctest.testmod(harness)
    assert (result.attempted, result.failed) == (7, 0)
