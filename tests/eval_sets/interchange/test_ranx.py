from eval_sets.interchange import from_ranx_run, to_ranx_qrels, to_ranx_run
from tests.eval_sets.samples import by_id, case, row

CASES = by_id(
    case("q1", relevant={"a": 2, "b": 0}, exclude=("x",)),
    case("q2", relevant={"a": 0}),
    case("q3", relevant={"a": 1}),
)


def test_qrels_are_plain_dictionaries() -> None:
    assert to_ranx_qrels(CASES.values()) == {"q1": {"a": 2, "b": 0}, "q3": {"a": 1}}


def test_runs_decrease_strictly_and_come_back() -> None:
    rows = [row("q1", "x", "b", "a", "b"), row("q2", "a"), row("q3")]
    run = to_ranx_run(rows, CASES)
    assert run == {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 1.0}}
    assert from_ranx_run(run) == {"q1": (("b", 2.0), ("a", 1.0)), "q2": (("a", 1.0),)}
