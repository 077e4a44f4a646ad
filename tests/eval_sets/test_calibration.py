from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize

from eval_sets.calibration import Calibration, calibrate, evaluate_calibration, reassess
from eval_sets.errors import TooFewLabels
from eval_sets.types import Case, Mean, Row
from retrieval.relevance import Thresholds, assess
from retrieval.types import EvidenceBlock, L1Outcome
from tests.eval_sets.samples import block, case, relevance, row

Drawn = tuple[list[Row], dict[str, Case]]


def _point(identifier: str, cosine: float, coverage: float, overlap: float = 0.5) -> Row:
    return row(
        identifier,
        block("a", score=cosine),
        coverage=coverage,
        overlap=overlap,
        l1_status="ok",
        relevance=relevance(0.5),
    )


def _draw(seed: int, answerable: int, unanswerable: int) -> Drawn:
    rng = np.random.default_rng(seed)
    rows, cases = [], {}
    for number in range(answerable + unanswerable):
        has = number < answerable
        name = f"q{number}"
        cosine = float(np.clip(rng.normal(0.65 if has else 0.35, 0.1), 0, 1))
        coverage = float(np.clip(rng.normal(0.7 if has else 0.5, 0.2), 0, 1))
        overlap = float(np.clip(rng.normal(0.6 if has else 0.35, 0.2), 0, 1))
        rows.append(_point(name, cosine, coverage, overlap))
        labels = {"relevant": {"a": 1}} if has else {"expect_no_answer": True}
        cases[name] = case(name, **labels)
    return rows, cases


def test_thresholds_keep_their_rates_on_what_they_were_fitted_on() -> None:
    rows, cases = _draw(1, 120, 40)
    calibration = calibrate(rows, cases)
    thresholds = calibration.thresholds
    assert (calibration.answerable, calibration.unanswerable, calibration.skipped) == (120, 40, 0)
    assert calibration.auroc > 0.95
    assert thresholds.calibrated
    assert thresholds.cosine_weight > thresholds.coverage_weight > 0
    assert thresholds.overlap_weight > 0
    assert 0 < thresholds.moderate <= thresholds.strong < 1
    levels = evaluate_calibration(rows, cases, calibration).levels
    assert levels["strong"][1] <= 0.05 * 40
    assert levels["strong"][1] + levels["moderate"][1] <= 0.2 * 40
    assert levels["strong"][0] > 0.8 * 120


def test_it_holds_on_queries_that_it_was_not_fitted_on() -> None:
    calibration = calibrate(*_draw(1, 120, 40))
    told = evaluate_calibration(*_draw(2, 120, 40), calibration)
    assert told.auroc is not None
    assert told.auroc > 0.95
    assert told.false_answer.n == 40
    assert told.false_answer.value is not None
    assert told.false_answer.value < 0.35
    assert told.false_empty.value is not None
    assert told.false_empty.value < 0.2


def test_the_fit_is_the_balanced_logistic_regression() -> None:
    rows, cases = _draw(3, 60, 20)
    fitted = calibrate(rows, cases).thresholds
    points = np.array(
        [(1.0, r.ranking[0].score or 0, r.coverage or 0, r.overlap or 0) for r in rows]
    )
    signs = np.array([-1.0 if cases[r.case_id].expect_no_answer else 1.0 for r in rows])
    balance = np.where(signs > 0, 0.5 / 60, 0.5 / 20)

    def loss(weights: np.ndarray) -> float:
        losses = np.logaddexp(0, -signs * (points @ weights))
        return float(balance @ losses + 0.01 / 80 / 2 * (weights[1:] ** 2).sum())

    best = optimize.minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-9}).x
    ours = (
        fitted.bias,
        fitted.cosine_weight,
        fitted.coverage_weight,
        fitted.overlap_weight,
    )
    assert ours == pytest.approx(tuple(best), rel=1e-3)


def test_groups_that_do_not_overlap_give_finite_weights() -> None:
    rows = [_point(f"h{i}", 0.9, 0.5) for i in range(20)]
    rows += [_point(f"l{i}", 0.1, 0.5) for i in range(20)]
    cases = {f"h{i}": case(f"h{i}", relevant={"a": 1}) for i in range(20)}
    cases |= {f"l{i}": case(f"l{i}", expect_no_answer=True) for i in range(20)}
    calibration = calibrate(rows, cases)
    assert calibration.auroc == 1.0
    assert calibration.semantic_floor == 0.9
    assert 0 < calibration.thresholds.cosine_weight < 1_000
    assert calibration.thresholds.coverage_weight == pytest.approx(0.0, abs=1e-9)


def test_more_evidence_never_lowers_confidence() -> None:
    rows, cases = _draw(1, 60, 40)
    turned = [replace(r, coverage=1 - (r.coverage or 0)) for r in rows]
    thresholds = calibrate(turned, cases).thresholds
    assert thresholds.coverage_weight == 0.0
    assert thresholds.cosine_weight > 0


@pytest.mark.parametrize(("answerable", "unanswerable"), [(14, 40), (40, 14), (0, 0)])
def test_too_few_labels_are_refused(answerable: int, unanswerable: int) -> None:
    with pytest.raises(TooFewLabels, match=f"{answerable} usable queries with an answer"):
        calibrate(*_draw(1, answerable, unanswerable))


def test_queries_without_a_cosine_are_skipped_and_counted() -> None:
    rows, cases = _draw(1, 40, 20)
    rows[0] = replace(rows[0], l1_status="failed")
    rows[1] = replace(rows[1], ranking=())
    rows[2] = replace(rows[2], coverage=None)
    rows[3] = replace(rows[3], ranking=(block("a", score=None),))
    calibration = calibrate([*rows, row("open")], {**cases, "open": case("open")})
    assert (calibration.answerable, calibration.skipped) == (36, 4)


@pytest.mark.parametrize("cosine", [0.1, 0.39, 0.4, 0.55, 0.7, 0.95])
@pytest.mark.parametrize("coverage", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("status", ["ok", "empty"])
def test_reassessing_is_what_the_lookup_does(cosine: float, coverage: float, status: str) -> None:
    thresholds = Thresholds(
        bias=-5.0, cosine_weight=8.0, coverage_weight=2.0, overlap_weight=1.0, calibrated=True
    )
    calibration = Calibration(
        thresholds=thresholds,
        semantic_floor=0.4,
        answerable=20,
        unanswerable=20,
        skipped=0,
        auroc=1.0,
    )
    content = {0.0: "", 0.5: "alpha", 1.0: "alpha beta"}[coverage]
    primary = EvidenceBlock(
        source="a",
        title="",
        breadcrumb=(),
        retrieval_layer="L1",
        content=content,
        rank_score=1.0,
        score=cosine,
        hit_reasons=(),
        passages=(),
    )
    outcome = L1Outcome(status=status, mode="dense", attempted=True)  # type: ignore[arg-type]
    options = {
        "semantic_floor": 0.4,
        "rarity": lambda word: 1.0,
        "overlap": lambda query, source: 0.25,
        "thresholds": thresholds,
    }
    expected = assess("alpha beta", [primary], outcome, **options)  # type: ignore[arg-type]
    told = row(
        "q1",
        block("a", score=cosine),
        coverage=coverage,
        overlap=0.25,
        l1_status=status,
        relevance=replace(expected, level="none", confidence=0.0, semantic_support=True)
        if status == "ok"
        else expected,
    )
    again = reassess(told, calibration).relevance
    assert again is not None
    assert replace(again, reason=expected.reason) == expected


def test_a_row_without_l1_is_not_reassessed() -> None:
    rows, cases = _draw(1, 40, 20)
    calibration = calibrate(rows, cases)
    lexical = row("q1", block("a", "L0"), relevance=relevance(0.3, "lexical_only"), coverage=0.6)
    assert reassess(lexical, calibration) == lexical
    told = evaluate_calibration([lexical], cases, calibration)
    assert told.false_empty == Mean(value=1.0, n=1, of=1)
