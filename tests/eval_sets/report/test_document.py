from dataclasses import replace

from eval_sets.contract import FallbackMetrics
from eval_sets.report import build_document
from eval_sets.report.contract import contract_findings
from eval_sets.report.document import Section, Table, text_of, tone_of
from eval_sets.results import Report
from eval_sets.statistics import Interval
from eval_sets.types import Mean
from tests.eval_sets.report.samples import sample_report


def _section(report: Report, title: str) -> Section:
    return next(s for s in build_document(report).sections if s.title == title)


def _table(section: Section, first: str) -> dict[str, dict[str, str]]:
    """Row name → column name → text, of the table whose first column has this name."""
    table = next(b for b in section.blocks if isinstance(b, Table) and b.columns[0].name == first)
    names = [column.name for column in table.columns]
    return {text_of(row[0]): dict(zip(names, map(text_of, row), strict=True)) for row in table.rows}


def test_a_comparison_says_all_that_it_found() -> None:
    report = sample_report()
    comparison = report.comparisons[0]
    row = _table(_section(report, "Comparisons"), "metric")["nDCG@10"]
    assert comparison.difference is not None
    assert row == {
        "metric": "nDCG@10",
        "change": f"{comparison.difference:+.3f}",
        "95 % interval": "+.069…+.223",
        "p (Holm)": "0.005",
        "wins / ties / losses": "15/1/7",
        "d_z": "0.81",
        "detects": "0.104",
        "verdict": "better",
    }


def _fallback_finding(*checked: int) -> str:
    """What the report says of faults under which so many queries were checked."""
    report = sample_report()
    (fault,) = report.faults
    faults = tuple(
        replace(
            fault,
            failed=(),
            metrics=FallbackMetrics(
                l0_primary=Mean(value=1.0 if n else None, n=n, of=n),
                records_kept=Mean(value=None, n=0, of=n),
                false_semantic=(),
                lost=(),
            ),
        )
        for n in checked
    )
    findings = map(text_of, contract_findings(replace(report, faults=faults)))
    return next(text for text in findings if "fallback" in text)


def test_a_fallback_that_was_not_checked_is_not_said_to_hold() -> None:
    nothing = "The fallback was not checked: L0 matched no query under any fault."
    assert _fallback_finding(0, 0) == nothing
    assert _fallback_finding(3, 3) == "The fallback held under all 2 faults."
    some = "The fallback held under 1 of 2 faults; under the others nothing was checked."
    assert _fallback_finding(3, 0) == some


def test_a_difference_that_may_be_noise_is_called_so() -> None:
    report = sample_report()
    unsure = replace(
        report.comparisons[0],
        difference=0.01,
        interval=Interval(low=-0.02, high=0.04),
        p_adjusted=0.4,
    )
    changed = replace(report, comparisons=(unsure,))
    assert _table(_section(changed, "Comparisons"), "metric")["nDCG@10"]["verdict"] == "unclear"
    sentences = [
        text_of(b) for b in _section(changed, "In short").blocks if not isinstance(b, Table)
    ]  # type: ignore[arg-type]
    assert any("not distinguishable" in sentence for sentence in sentences)


def test_no_comparison_leaves_the_scores_to_speak() -> None:
    report = sample_report()
    alone = replace(
        report, variants=report.variants[:1], comparisons=(), stratum_comparisons=(), overlaps=()
    )
    titles = [section.title for section in build_document(alone).sections]
    assert "Comparisons" not in titles
    assert text_of(_section(alone, "In short").blocks[1]).startswith("l0: nDCG@10 0.473 [")  # type: ignore[arg-type]


def test_the_filter_block_has_every_figure() -> None:
    rows = _table(_section(sample_report(), "Category filter"), "filter")
    assert [row["l1:filter=strict"] for row in rows.values()] == [
        "0.348 (n=23 of 24)",
        "– (n=0 of 8)",
        "0.364 (n=22 of 24)",
        "–",
        "– (n=0 of 24)",
        "0.000 (n=8)",
        "+0.138 (n=8 of 8)",
        "1",
        "4",
    ]


def test_a_broken_promise_is_bad_and_named() -> None:
    report = sample_report()
    section = _section(report, "Fallback")
    table = next(block for block in section.blocks if isinstance(block, Table))
    assert [tone_of(cell) for cell in table.rows[0][1:]] == ["bad", "plain", "good", "bad"]
    assert "l0, l1-raises: lost their L0 evidence: q23." in section.blocks
    told = [b for b in _section(report, "In short").blocks if "fallback" in text_of(b)]  # type: ignore[arg-type]
    assert [(text_of(b), tone_of(b)) for b in told] == [  # type: ignore[arg-type]
        ("The fallback broke: l0 under l1-raises.", "bad")
    ]


def test_failures_are_listed_first_and_cut() -> None:
    report = sample_report()
    rows = tuple(replace(row, status="zero_result", ranking=()) for row in report.rows)
    section = _section(replace(report, rows=rows), "Failed, or nothing found")
    table = section.blocks[1]
    assert isinstance(table, Table)
    assert len(table.rows) == 40
    assert section.blocks[2] == "and 6 more, in the rows."


def test_what_repeats_the_run_is_told() -> None:
    facts = _table(_section(sample_report(), "To repeat it"), "what")
    told = {name: row["value"] for name, row in facts.items()}
    assert told["set"] == "sample abc123"
    assert (told["seed"], told["resamples"]) == ("7", "200")
    assert told["digest of index"] == "1ndex"
    assert told["settings of l0"] == '{"lookup": {"mode": "l0"}}'
