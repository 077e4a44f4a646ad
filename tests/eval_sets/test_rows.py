from pydantic import TypeAdapter

from eval_sets.results import Report
from eval_sets.rows import failed_row, mean, row_of
from eval_sets.types import Case, Mean, Ranked, Row, Variant
from retrieval.errors import IndexMissing
from retrieval.types import (
    Candidate,
    Counts,
    ErrorInfo,
    EvidenceBlock,
    FilterDecision,
    Fingerprint,
    HitReason,
    L0Hints,
    L0Match,
    L1Outcome,
    LookupResult,
    Outcome,
    Relevance,
    Shadow,
    TermHit,
)
from tests.eval_sets.samples import case

REASONS = (
    HitReason(kind="keyword", text="keyword", layer="L0", term="refund"),
    HitReason(kind="keyword", text="keyword", layer="L0", term="refunds"),
    HitReason(kind="semantic", text="cosine", layer="L1", score=0.7),
)
BLOCK = EvidenceBlock(
    source="a.md",
    title="A",
    breadcrumb=("A",),
    retrieval_layer="L0+L1",
    content="text",
    rank_score=1.2,
    score=0.7,
    hit_reasons=REASONS,
    passages=(),
    relaxed=True,
)
SHADOW = Shadow(candidates=4, outside=1, best_cosine_inside=0.7, best_cosine_outside=0.6)


def _result(*blocks: EvidenceBlock, outcome: Outcome = "evidence") -> LookupResult:
    match = L0Match(
        source="a.md",
        title="A",
        categories=("billing",),
        hits=(TermHit(term="refund", field="keyword", start=0, end=6),),
        score=1.0,
    )
    found = [Candidate(passage_id=f"{s}#0", source=s, score=1.0) for s in ("a.md", "b.md", "a.md")]
    return LookupResult(
        query="refund",
        outcome=outcome,
        retrieval_layer="L0+L1",
        evidence_blocks=blocks,
        l0_hints=L0Hints(matches=(match,), matches_total=60, domains=("billing",)),
        filter=FilterDecision(mode="auto", category="billing", reason="one domain"),
        l1=L1Outcome(
            status="ok", mode="hybrid", attempted=True, candidates=tuple(found), shadow=SHADOW
        ),
        counts=Counts(candidate_count=4, merged=3, dropped={}, evidence_block_count=1),
        relevance=Relevance(
            level="strong", confidence=0.9, calibrated=False, semantic_support=True, reason=""
        ),
        timings_ms={"total": 3.0},
        fingerprint=Fingerprint(config="c", index="i", embedding="e"),
    )


def test_a_row_keeps_what_the_metrics_read() -> None:
    labelled = case(relevant={"a.md": 1})
    row = row_of(labelled, "l0+l1", _result(BLOCK), coverage=0.8, latency_ms=4.0)
    assert row.status == "evaluated"
    assert row.ranking == (
        Ranked(
            source="a.md",
            rank_score=1.2,
            score=0.7,
            layer="L0+L1",
            reason_kinds=("keyword", "semantic"),
            reason_layers=("L0", "L1"),
            relaxed=True,
        ),
    )
    assert row.sources == ("a.md",)
    assert (row.l0_sources, row.l0_matches) == (("a.md",), 60)
    assert row.l1_sources == ("a.md", "b.md")
    assert row.shadow == SHADOW
    assert (row.relaxed, row.coverage, row.latency_ms, row.hints_recorded) == (1, 0.8, 4.0, None)
    assert row.error is None


def test_every_query_ends_with_a_status() -> None:
    labelled, unlabelled = case(relevant={"a.md": 1}), case(relevant={"a.md": 0})
    no_answer = case(expect_no_answer=True)

    def status(of: Case, *blocks: EvidenceBlock, outcome: Outcome = "evidence") -> str:
        return row_of(of, "v", _result(*blocks, outcome=outcome)).status

    assert status(labelled, BLOCK) == "evaluated"
    assert status(labelled) == "zero_result"
    assert status(unlabelled, BLOCK) == status(unlabelled) == "not_judged"
    assert status(no_answer, BLOCK) == "evaluated"
    assert status(no_answer) == "zero_result"
    assert status(labelled, outcome="error") == status(unlabelled, outcome="refused") == "failed"


def test_a_crash_is_a_row() -> None:
    error = IndexMissing("No index.", next_action="Run index.")
    row = failed_row(case(), "l1", error, latency_ms=1.0)
    assert (row.status, row.ranking, row.l0_matches) == ("failed", (), None)
    assert row.error == ErrorInfo(
        code="index_missing", message="No index.", next_action="Run index."
    )
    foreign = failed_row(case(), "l1", ZeroDivisionError("by zero"))
    assert foreign.error == ErrorInfo(code="ZeroDivisionError", message="by zero")


def test_a_mean_states_its_denominator() -> None:
    assert mean([1.0, None, 0.0]) == Mean(value=0.5, n=2, of=3)
    assert mean([None]) == Mean(value=None, n=0, of=1)
    assert mean([]) == Mean(value=None, n=0, of=0)


def test_a_report_survives_json() -> None:
    labelled = case(relevant={"a.md": 1}, exclude=("b.md",))
    rows = (row_of(labelled, "v", _result(BLOCK)), Row(case_id="q2", variant="w", status="failed"))
    report = Report(
        set_name="small",
        set_digest="0",
        cases=(labelled,),
        variants=(Variant(name="v", settings={"top_k": 5}),),
        rows=rows,
        metrics=("MRR",),
        seed=0,
        resamples=10,
    )
    adapter = TypeAdapter(Report)
    assert adapter.validate_json(adapter.dump_json(report)) == report
    assert report.of_variant("v") == rows[:1]
