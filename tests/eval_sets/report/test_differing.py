from dataclasses import replace
from typing import Any

import pytest

from eval_sets.report import build_difference, compare_reports, to_markdown
from eval_sets.results import Report
from retrieval.errors import InvalidInput
from tests.eval_sets.report.samples import sample_report


def _with_score(report: Report, variant: str, case_id: str, score: float) -> Report:
    values: dict[str, Any] = {
        name: {metric: dict(scores) for metric, scores in metrics.items()}
        for name, metrics in report.values.items()
    }
    values[variant]["nDCG@10"][case_id] = score
    return replace(report, values=values)


def test_a_query_that_moved_is_named_with_its_scores() -> None:
    before = sample_report()
    after = _with_score(before, "l0", "q3", 0.0)
    compared = compare_reports(before, after)
    (move,) = compared.moves
    assert (move.variant, move.case_id, move.before, move.after) == ("l0", "q3", 0.553, 0.0)
    assert (move.rank_before, move.rank_after) == (1, 1)
    (l0, l1) = [c for c in compared.comparisons if c.metric == "nDCG@10"]
    assert (l0.a, l0.b) == ("l0 in A", "l0 in B")
    assert (l0.wins, l0.ties, l0.losses, l1.losses) == (0, 22, 1, 0)
    assert [name for name, _ in compared.strata] == ["exact", "paraphrase"] * 2


def test_queries_whose_labels_changed_are_left_out_and_named() -> None:
    before = sample_report()
    cases = (replace(before.cases[0], relevant={"b/two.md": 1}), *before.cases[1:-1])
    compared = compare_reports(before, replace(before, cases=cases, set_digest="other"))
    assert compared.left_out == ("q0", "q23")
    assert compared.queries == 22
    assert compared.differing == {"digest of set": ("abc123", "other")}
    text = to_markdown(build_difference(compared, names=("a.json", "b.json")))
    assert "**Left out, as only one report has them or their labels changed: q0, q23.**" in text


def test_variants_are_paired_by_name_or_as_told() -> None:
    report = sample_report()
    assert compare_reports(report, report).pairs == (
        ("l0", "l0"),
        ("l1:filter=strict", "l1:filter=strict"),
    )
    across = compare_reports(report, report, variants=("l0", "l1:filter=strict"))
    assert across.comparisons[0].difference == report.comparisons[0].difference
    single = replace(report, variants=report.variants[:1])
    other = replace(report, variants=report.variants[1:])
    assert compare_reports(single, other).pairs == (("l0", "l1:filter=strict"),)


@pytest.mark.parametrize(
    ("changes", "variants", "said"),
    [
        ({"set_name": "other"}, None, "'sample' and the other on 'other'"),
        ({}, ("l0", "l9"), "no variant 'l9'"),
        ({"cases": ()}, None, "no query or no metric in common"),
        ({"variants": ()}, None, "no variant in common"),
    ],
)
def test_what_cannot_be_paired_is_refused(
    changes: dict[str, Any], variants: tuple[str, str] | None, said: str
) -> None:
    report = sample_report()
    with pytest.raises(InvalidInput, match=said):
        compare_reports(report, replace(report, **changes), variants=variants)


def test_the_json_says_in_a_sentence_what_it_shows() -> None:
    report = sample_report()
    data = compare_reports(report, report).to_dict()
    assert data["comparisons"][0]["sentence"].startswith("l0 in B and l0 in A are not")
    assert data["comparisons"][0]["distinguishable"] is False
    assert data["moves"] == ()
