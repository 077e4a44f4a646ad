"""What the Evaluate page draws of a report: escaped, with reasons for what is missing."""

import dataclasses

from eval_sets.report.document import Figure
from tests.eval_sets.report.samples import HOSTILE, sample_report
from tests.eval_sets.samples import case
from workbench.presenters.headline import present_headline, present_subtitle
from workbench.presenters.query_lines import present_lines
from workbench.presenters.report_parts import PARTS, present_part, present_sentences
from workbench.presenters.run_progress import present_progress
from workbench.services.jobs import Step

L0, STRICT = "l0", "l1:filter=strict"


def test_a_card_says_mean_interval_denominator_and_verdict() -> None:
    report = sample_report()
    cards = present_headline(report)
    assert len(cards) == 3
    score = report.score(STRICT, "nDCG@10")
    comparison = next(c for c in report.comparisons if c.metric == "nDCG@10")
    assert f"{score.mean.value:.3f}" in cards[0]
    assert f"{score.mean.n} of {score.mean.of} queries" in cards[0]
    assert score.interval is not None
    assert f"{score.interval.low:.3f}…{score.interval.high:.3f}" in cards[0]
    assert comparison.distinguishable
    assert "better" in cards[0]


def test_no_difference_is_said_in_words() -> None:
    report = sample_report()
    unclear = tuple(dataclasses.replace(c, p_adjusted=0.4) for c in report.comparisons)
    cards = present_headline(dataclasses.replace(report, comparisons=unclear))
    assert all("not distinguishable" in card for card in cards)
    assert not any("better" in card.split("title=")[0] for card in cards)


def test_a_variant_without_scores_has_a_dash_and_the_reason() -> None:
    report = dataclasses.replace(sample_report(), scores=(), comparisons=())
    assert "–" in present_headline(report)[0]
    assert "no query with a relevant note" in present_headline(report)[0]


def test_the_subtitle_names_what_was_run() -> None:
    report = sample_report(split="test", cached=("l0",))
    line = present_subtitle(report)
    assert line.startswith("sample · 24 queries · split test · 2 variants")
    assert "earlier run: l0" in line


def test_every_part_of_a_whole_report_has_tables_and_its_figures() -> None:
    drawn = {name: present_part(sample_report(), name) for name in PARTS}
    for name, parts in drawn.items():
        assert any("<table" in block for part in parts for block in part.blocks), name
    figures = [b for parts in drawn.values() for p in parts for b in p.blocks]
    kinds = {figure.kind for figure in figures if isinstance(figure, Figure)}
    assert kinds == {"strata", "differences", "moves", "latency"}


def test_what_a_run_did_not_measure_is_a_dash_with_the_reason() -> None:
    report = dataclasses.replace(
        sample_report(), comparisons=(), filters={}, faults=(), no_answer={}, scores=()
    )
    for name, reason in {
        "Scores": "one variant only",
        "Strata": "fewer than two strata",
        "Filter": "filter on",
        "Fallback": "not run",
        "No answer": "both kinds",
    }.items():
        text = str([part.blocks for part in present_part(report, name)])
        assert reason in text, name


def test_texts_of_the_set_stay_inert() -> None:
    report = dataclasses.replace(sample_report(), warnings=(HOSTILE,))
    sentences = present_sentences([HOSTILE])
    parts = [str(b) for name in PARTS for p in present_part(report, name) for b in p.blocks]
    assert "&lt;script&gt;" in sentences
    assert not any("<script" in text for text in (*parts, sentences))


def test_queries_are_sorted_by_difference_and_say_why_there_is_none() -> None:
    lines = present_lines(sample_report(), "nDCG@10", L0, STRICT)
    scored = [line.difference for line in lines if line.difference is not None]
    assert len(lines) == 24
    assert scored == sorted(scored)
    assert lines[-1].case_id == "q1"
    assert lines[-1].difference is None
    assert lines[-1].remark == "no answer expected: not ranked"
    crashed = next(line for line in lines if line.case_id == "q23")
    assert (crashed.left, crashed.right) == (0.0, 0.0)
    assert crashed.remark == f"{L0} failed: OSError; {STRICT} failed: OSError"


def test_queries_can_be_narrowed_to_strata_and_to_changed_ones() -> None:
    report = sample_report()
    lines = present_lines(report, "nDCG@10", L0, STRICT, strata=["exact"], changed=True)
    assert lines
    assert {line.stratum for line in lines} == {"exact"}
    assert all(line.difference for line in lines)
    assert present_lines(report, "nDCG@10", L0, L0, changed=True) == []


def test_a_query_without_label_is_not_judged() -> None:
    report = sample_report()
    cases = tuple(case("q1", stratum="exact") if each.id == "q1" else each for each in report.cases)
    lines = present_lines(dataclasses.replace(report, cases=cases), "MRR", L0, STRICT)
    assert lines[-1].remark == "not judged"


def test_progress_is_told_in_words() -> None:
    step = Step(stage="l0+l1", done=12, total=40, share=0.65)
    assert present_progress(step, "running") == (0.65, "l0+l1: 12 of 40 queries")
    assert present_progress(step, "stopping")[1].startswith("Cancelling")
    assert present_progress(Step(stage="", done=0, total=0, share=0), "running")[0] == 0
    embed = Step(stage="embed", done=3, total=9, share=0.0)
    assert present_progress(embed, "running")[1] == "Embedding passages: 3 of 9 passages"
    last = Step(stage="l0", done=4, total=4, share=1.0)
    assert present_progress(last, "running")[1].startswith("Computing")
