import pytest

from eval_sets.contract import RankMove, filter_metrics
from eval_sets.types import Mean
from tests.eval_sets.samples import by_id, case, failed, filtered, row

CATEGORIES = {"a": ("Billing",), "b": ("access",), "c": ("access", "billing"), "d": ()}


def test_rates_count_what_they_know() -> None:
    cases = by_id(
        case("right", expected_category="billing ", expect_filter="applied"),
        case("wrong", expected_category="access", expect_filter="none"),
        case("open", expect_filter="applied"),
        case("unknown"),
        case("crashed", expect_filter="applied"),
    )
    rows = [
        row("right", "a", filter=filtered("Billing")),
        row("wrong", "a", filter=filtered("Billing"), relaxed=1),
        row("open", "a", filter=filtered(None)),
        row("unknown", "a", filter=filtered("Billing")),
        failed("crashed"),
    ]
    metrics = filter_metrics(rows, cases)
    assert metrics.fire_rate == Mean(value=3 / 4, n=4, of=5)
    assert metrics.route_accuracy == Mean(value=1 / 2, n=2, of=3)
    assert metrics.agreement == Mean(value=1 / 3, n=3, of=5)
    assert metrics.recall_ceiling == pytest.approx(1 - 3 / 4 * (1 - 1 / 2))
    assert metrics.relaxed_rate == Mean(value=1 / 3, n=3, of=3)
    assert metrics.change == Mean(value=None, n=0, of=3)
    assert metrics.ceiling == Mean(value=None, n=0, of=5)


def test_categories_of_the_notes_stand_in_for_a_missing_label() -> None:
    cases = by_id(
        case("both", relevant={"a": 1, "b": 1, "c": 0}),
        case("second", relevant={"c": 1}),
        case("outside", relevant={"d": 1}),
        case("free", relevant={"d": 1}),
    )
    rows = [
        row("both", filter=filtered("billing")),
        row("second", filter=filtered("Billing")),
        row("outside", filter=filtered("billing")),
        row("free", filter=filtered(None)),
    ]
    metrics = filter_metrics(rows, cases, categories=CATEGORIES)
    assert metrics.route_accuracy == Mean(value=2 / 3, n=3, of=3)
    assert metrics.ceiling == Mean(value=(0.5 + 1 + 0 + 1) / 4, n=4, of=4)


def test_harm_and_help_come_with_ranks_before_and_after() -> None:
    labels = {"a": 1, "b": 1}
    cases = by_id(
        *(case(name, relevant=labels) for name in ("worse", "much_worse", "better", "same")),
        case("untouched", relevant=labels),
        case("excluding", relevant={"b": 1}, exclude=("x",)),
    )
    unfiltered = [
        row("worse", "a", "x", "b"),
        row("much_worse", "a", "b"),
        row("better", "x", "b"),
        row("same", "a"),
        row("untouched", "a"),
        row("excluding", "x", "b"),
    ]
    on = filtered("billing")
    rows = [
        row("worse", "x", "a", filter=on),
        row("much_worse", filter=on),
        row("better", "b", "x", filter=on),
        row("same", "a", filter=on),
        row("untouched", "x", filter=filtered(None)),
        row("excluding", "b", filter=on),
    ]
    metrics = filter_metrics(rows, cases, unfiltered=unfiltered, metric="MRR")
    assert metrics.harmed == (
        RankMove(
            case_id="much_worse",
            category="billing",
            ranks={"a": (1, None), "b": (2, None)},
            score_before=1.0,
            score_after=0.0,
        ),
        RankMove(
            case_id="worse",
            category="billing",
            ranks={"a": (1, 2), "b": (3, None)},
            score_before=1.0,
            score_after=0.5,
        ),
    )
    assert [(move.case_id, move.change) for move in metrics.helped] == [("better", 0.5)]
    assert metrics.change == Mean(value=(-0.5 - 1 + 0.5) / 5, n=5, of=5)


def test_a_filter_that_never_fires_costs_nothing() -> None:
    metrics = filter_metrics([row(filter=filtered(None))], by_id(case()))
    assert metrics.fire_rate == Mean(value=0.0, n=1, of=1)
    assert metrics.recall_ceiling == 1.0
    assert metrics.route_accuracy == Mean(value=None, n=0, of=0)


def test_a_route_without_label_has_no_ceiling() -> None:
    metrics = filter_metrics([row(filter=filtered("billing"))], by_id(case()))
    assert metrics.recall_ceiling is None
    assert filter_metrics([], {}).recall_ceiling is None
