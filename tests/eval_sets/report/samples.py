"""A whole report with known numbers, made without any lookup."""

import random
from typing import Any

from eval_sets.contract import dedupe_metrics, fallback_metrics, filter_metrics, no_answer_metrics
from eval_sets.results import FaultResult, Overlap, Report, Score, StratumComparison
from eval_sets.statistics import bootstrap_mean, compare, correct
from eval_sets.types import Case, Mean, Row, Variant
from retrieval.types import ErrorInfo
from tests.eval_sets.samples import block, case, filtered, relevance, row

METRICS = ("nDCG@10", "recall@10", "MRR")
RESAMPLES = 200
HOSTILE = "<script>alert('x')</script> | *bold* [red]"


def sample_report(*, count: int = 24, **changes: Any) -> Report:
    """Two variants on `count` queries: `l1` is better on paraphrases; the last query failed.

    The first query has hostile text, and the second has no answer.
    """
    cases = tuple(_case(number) for number in range(count))
    variants = (
        Variant(name="l0", settings={"lookup": {"mode": "l0"}}),
        Variant(name="l1:filter=strict", settings={"lookup": {"mode": "l1"}}),
    )
    rng = random.Random(1)
    values: dict[str, dict[str, dict[str, float | None]]] = {}
    for variant in variants:
        values[variant.name] = {
            metric: {c.id: _value(c, variant.name, rng) for c in cases} for metric in METRICS
        }
    rows = tuple(_row(c, variant.name, values) for variant in variants for c in cases)
    report = Report(
        set_name="sample",
        set_digest="abc123",
        cases=cases,
        variants=variants,
        rows=rows,
        metrics=METRICS,
        seed=7,
        resamples=RESAMPLES,
        baseline="l0",
        values=values,
        scores=tuple(_scores(cases, values)),
        comparisons=tuple(
            correct([_compare(values, metric, tuple(c.id for c in cases))])[0] for metric in METRICS
        ),
        stratum_comparisons=tuple(
            StratumComparison(
                stratum=stratum,
                comparison=_compare(
                    values, METRICS[0], tuple(c.id for c in cases if c.stratum == stratum)
                ),
            )
            for stratum in ("exact", "paraphrase")
        ),
        overlaps=(
            Overlap(
                a="l0",
                b="l1:filter=strict",
                rbo=Mean(value=0.61, n=count, of=count),
                jaccard=Mean(value=0.5, n=count, of=count),
            ),
        ),
        versions={"knowledge-lookup-workbench": "0.1.0"},
        digests={"notes": "n0te5", "index": "1ndex"},
        warnings=("2 notes changed",),
        created_at="2026-01-02T03:04:05+00:00",
    )
    return _with_contract(report) if not changes else _replaced(_with_contract(report), changes)


def _replaced(report: Report, changes: dict[str, Any]) -> Report:
    from dataclasses import replace

    return replace(report, **changes)


def _with_contract(report: Report) -> Report:
    by_id = report.cases_by_id
    strict = report.of_variant("l1:filter=strict")
    fallback = fallback_metrics(report.of_variant("l0"))
    return _replaced(
        report,
        {
            "filters": {
                "l1:filter=strict": filter_metrics(
                    strict, by_id, unfiltered=report.of_variant("l0")
                )
            },
            "faults": (
                FaultResult(
                    variant="l0",
                    profile="l1-raises",
                    metrics=fallback,
                    quality=Mean(value=0.5, n=20, of=24),
                    healthy=Mean(value=0.75, n=20, of=24),
                    no_evidence=2,
                    failed=("q23",),
                ),
            ),
            "dedupe": {v.name: dedupe_metrics(report.of_variant(v.name)) for v in report.variants},
            "no_answer": {
                "l1:filter=strict": no_answer_metrics(strict, by_id, resamples=RESAMPLES)
            },
        },
    )


def _case(number: int) -> Case:
    if number == 1:
        return case("q1", stratum="exact", expect_no_answer=True, query="no answer")
    query = HOSTILE if number == 0 else f"query {number}"
    stratum = "paraphrase" if number % 2 else "exact"
    return case(
        f"q{number}",
        stratum=stratum,
        query=query,
        relevant={"a/one.md": 2},
        expect_filter="applied",
    )


def _value(of: Case, variant: str, rng: random.Random) -> float | None:
    if of.expect_no_answer:
        return None
    if of.id == "q23":
        return 0.0
    return round(rng.uniform(0.4, 0.6) + 0.3 * (variant != "l0" and of.stratum == "paraphrase"), 3)


def _row(of: Case, variant: str, values: Any) -> Row:
    if of.id == "q23":
        return Row(
            case_id=of.id,
            variant=variant,
            status="failed",
            error=ErrorInfo(code="OSError", message="disk <gone>"),
        )
    first, second = "a/one.md", "b/two.md"
    if (values[variant][METRICS[0]][of.id] or 0) < 0.5:
        first, second = second, first
    number = int(of.id[1:])
    return row(
        of.id,
        block(first, "L0", reason_layers=("L0",)),
        block(second, "L0", reason_layers=("L0",)),
        variant=variant,
        l0_matches=1,
        l1_status="ok",
        filter=filtered("Billing" if variant != "l0" and number % 3 == 0 else None),
        relevance=relevance(0.1 if of.expect_no_answer else 0.3 + number / 50, "moderate"),
        latency_ms=2.0 + number,
    )


def _scores(cases: tuple[Case, ...], values: Any) -> Any:
    for variant, by_metric in values.items():
        for metric, found in by_metric.items():
            for stratum in (None, "exact", "paraphrase"):
                asked = [c for c in cases if stratum in (None, c.stratum)]
                scored = [v for c in asked if (v := found[c.id]) is not None]
                yield Score(
                    variant=variant,
                    metric=metric,
                    stratum=stratum,
                    mean=Mean(value=sum(scored) / len(scored), n=len(scored), of=len(asked)),
                    interval=bootstrap_mean(scored, resamples=RESAMPLES),
                )


def _compare(values: Any, metric: str, ids: tuple[str, ...]) -> Any:
    first, second = values
    return compare(
        {i: values[first][metric][i] for i in ids},
        {i: values[second][metric][i] for i in ids},
        names=(first, second),
        metric=metric,
        resamples=RESAMPLES,
    )
