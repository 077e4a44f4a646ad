import io

import pytest
from rich.cells import cell_len

from eval_sets.report import Document, build_document, print_document
from eval_sets.report.document import Section, Table, Toned, columns
from tests.eval_sets.report.samples import HOSTILE, sample_report


def _printed(document: Document, width: int = 80) -> str:
    out = io.StringIO()
    print_document(document, file=out, width=width)
    return out.getvalue()


def _of(*blocks: object) -> Document:
    return Document(title="T", subtitle="", sections=(Section(title="S", blocks=blocks),))  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    lines = _printed(build_document(sample_report()), width).splitlines()
    assert max(cell_len(line) for line in lines) <= width


def test_scores_stand_with_interval_and_denominator() -> None:
    text = _printed(build_document(sample_report()))
    (line,) = [line for line in text.splitlines() if line.startswith("nDCG@10  ")][:1]
    assert line.split()[:2] == ["nDCG@10", "0.473"]
    assert line.rstrip().endswith("23/24")


def test_a_table_that_is_too_wide_repeats_its_first_column() -> None:
    names = [f"#column-number-{i}" for i in range(8)]
    table = Table(columns=columns("name", *names), rows=(("first", *"12345678"),))
    lines = [line for line in _printed(_of(table)).splitlines() if line.startswith("first")]
    assert len(lines) == 2
    assert [digit for line in lines for digit in line.split()[1:]] == list("12345678")


def test_every_cell_is_shown_whole() -> None:
    table = Table(
        columns=columns("query", "#score", "~ranks"),
        rows=(("q1", "0.5", "a-long-name.md 1 → 2, " * 6), ("长长的查询", "0.25", "短")),
    )
    text = _printed(_of(table), 50)
    assert text.count("a-long-name.md") == 6
    assert "长长的查询" in text


def test_foreign_text_is_neither_markup_nor_obeyed() -> None:
    text = _printed(_of(HOSTILE, Toned(text="\x1b[2Jgone", tone="bad")))
    assert HOSTILE in text
    assert "\x1b" not in text


def test_figures_are_left_out_and_sections_stay() -> None:
    report = sample_report()
    text = _printed(build_document(report))
    titles = [section.title for section in build_document(report).sections]
    assert titles == [
        "In short",
        "Scores",
        "Comparisons",
        "nDCG@10 by stratum",
        "Category filter",
        "Fallback",
        "Merging",
        "No answer",
        "Failed, or nothing found",
        "Latency",
        "To repeat it",
    ]
    assert all(f"\n{title}\n" in text for title in titles)
    assert "query by query\n" not in text
