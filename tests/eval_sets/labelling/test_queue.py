"""The queue of notes whose judgement would decide most."""

import pytest

from eval_sets.labelling.queue import judge_queue
from eval_sets.metrics import ndcg
from eval_sets.results import Report
from eval_sets.types import Case, Row, Variant
from retrieval.errors import InvalidInput
from tests.eval_sets.samples import case, row


def _report(cases: list[Case], first: list[Row], second: list[Row]) -> Report:
    from dataclasses import replace

    rows = [replace(r, variant=name) for name, of in (("a", first), ("b", second)) for r in of]
    return Report(
        set_name="s",
        set_digest="",
        cases=tuple(cases),
        variants=(Variant(name="a"), Variant(name="b")),
        rows=tuple(rows),
        metrics=("nDCG@10",),
        seed=0,
        resamples=100,
    )


CASES = [
    case("q1", relevant={"r": 2, "no": 0}),
    case("q2", relevant={"r": 2}, exclude=("out",)),
    case("q3", expect_no_answer=True),
    case("q4"),
]
REPORT = _report(
    CASES,
    [row("q1", "r", "no", "x", "y"), row("q2", "r", "s"), row("q3", "z"), row("q4", "u", "v")],
    [row("q1", "x", "r", "no", "y"), row("q2", "out", "r", "s"), row("q3", "w"), row("q4", "v")],
)


def test_only_what_nobody_judged_and_what_makes_a_difference_is_asked() -> None:
    found = judge_queue(REPORT)
    assert {(item.case.id, item.source) for item in found.items} == {
        ("q1", "x"),
        ("q1", "y"),
        ("q4", "u"),
        ("q4", "v"),
    }


def test_the_most_decisive_stands_first_and_says_by_how_much() -> None:
    found = judge_queue(REPORT)
    swings = [item.swing for item in found.items]
    assert swings == sorted(swings, reverse=True)
    (item,) = [item for item in found.items if item.source == "x"]
    before, after = ["r", "no", "x", "y"], ["x", "r", "no", "y"]
    grades = {"r": 2, "no": 0, "x": 2}
    first, second = ndcg(before, grades, 10), ndcg(after, grades, 10)
    assert first is not None
    assert second is not None
    assert item.then == pytest.approx(second - first)
    assert item.ranks == (3, 1)


def test_the_difference_is_over_labelled_queries_only() -> None:
    found = judge_queue(REPORT)
    assert found.queries == 2
    value = ndcg(["x", "r", "no", "y"], {"r": 2, "no": 0}, 10)
    assert value is not None
    assert found.difference == pytest.approx((value - 1.0) / 2)
    assert found.could_flip


def test_a_clear_lead_cannot_be_turned() -> None:
    cases = [case(f"q{n}", relevant={"r": 2}) for n in range(4)]
    same = [row(f"q{n}", "r") for n in range(4)]
    none = [*(row(f"q{n}") for n in range(3)), row("q3", "x", "r")]
    found = judge_queue(_report(cases, same, none))
    assert [item.source for item in found.items] == ["x"]
    assert not found.could_flip


def test_two_different_variants_are_needed() -> None:
    with pytest.raises(InvalidInput, match="two variants"):
        judge_queue(REPORT, ("a", "a"))
    with pytest.raises(InvalidInput, match="two variants"):
        judge_queue(REPORT, ("a", "c"))
