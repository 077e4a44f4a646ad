import pytest

from eval_sets.contract import OperatingPoint, no_answer_metrics, operating_points, point_for
from eval_sets.types import Mean
from tests.eval_sets.samples import by_id, case, failed, relevance, row

CASES = by_id(
    case("a1", relevant={"a": 1}),
    case("a2", relevant={"a": 1}),
    case("a3", relevant={"a": 1}),
    case("n1", expect_no_answer=True),
    case("n2", expect_no_answer=True),
    case("unlabelled"),
)


def test_confidence_is_judged_on_both_kinds() -> None:
    metrics = no_answer_metrics(
        [
            row("a1", "a", relevance=relevance(0.9, "strong")),
            row("a2", "a", relevance=relevance(0.4, "weak")),
            failed("a3"),
            row("n1", "a", relevance=relevance(0.6, "moderate")),
            row("n2", relevance=relevance(0.0, "none")),
            row("unlabelled", "a", relevance=relevance(1.0, "strong")),
        ],
        CASES,
    )
    assert metrics.auroc == 3 / 4
    assert metrics.interval is not None
    assert metrics.false_answer == Mean(value=1 / 2, n=2, of=2)
    assert metrics.false_empty == Mean(value=2 / 3, n=3, of=3)
    assert metrics.nothing_returned == Mean(value=1 / 3, n=3, of=3)
    assert metrics.levels == {
        "strong": (1, 0),
        "moderate": (0, 1),
        "weak": (1, 0),
        "lexical_only": (0, 0),
        "none": (0, 1),
    }


def test_one_kind_alone_separates_nothing() -> None:
    metrics = no_answer_metrics([row("a1", "a", relevance=relevance(0.9))], CASES)
    assert metrics.auroc is None
    assert metrics.interval is None
    assert metrics.points == ()
    assert metrics.false_answer == Mean(value=None, n=0, of=0)


def test_operating_points_are_all_thresholds_that_matter() -> None:
    points = operating_points([0.9, 0.4], [0.6, 0.0])
    assert points == (
        OperatingPoint(threshold=0.0, false_answer=1.0, false_empty=0.0),
        OperatingPoint(threshold=0.4, false_answer=0.5, false_empty=0.0),
        OperatingPoint(threshold=0.6, false_answer=0.5, false_empty=0.5),
        OperatingPoint(threshold=0.9, false_answer=0.0, false_empty=0.5),
    )


@pytest.mark.parametrize(("rate", "threshold"), [(1.0, 0.0), (0.5, 0.4), (0.05, 0.9)])
def test_the_lowest_threshold_that_keeps_a_rate(rate: float, threshold: float) -> None:
    point = point_for(operating_points([0.9, 0.4], [0.6, 0.0]), false_answer=rate)
    assert point is not None
    assert point.threshold == threshold


def test_no_threshold_may_keep_a_rate() -> None:
    assert point_for(operating_points([0.5], [0.9]), false_answer=0.05) is None
