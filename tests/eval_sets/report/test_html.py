import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

from eval_sets.report import build_document, to_html
from eval_sets.report.document import Document, Figure, Section, Table, columns
from tests.eval_sets.report.samples import HOSTILE, METRICS, sample_report

VOID = {"meta", "br", "hr", "img", "input", "link"}


class _Outline(HTMLParser):
    """Tags, text and whether every tag that opens closes in its place."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.fixture(scope="module")
def page() -> str:
    return to_html(build_document(sample_report()))


def _outline(page: str) -> _Outline:
    outline = _Outline()
    outline.feed(page)
    assert outline.open == []
    return outline


def test_the_page_is_whole_and_has_a_chart_for_each_question(page: str) -> None:
    outline = _outline(page)
    assert outline.tags.count("svg") == 4
    titles = re.findall(r"<figure>\s*<h3>(.*?)</h3>", page)
    assert titles == [
        "l1:filter=strict against l0, query by query",
        "nDCG@10 by stratum",
        "Queries that the filter of l1:filter=strict helped or harmed",
        "Latency",
    ]


def test_nothing_is_fetched_and_no_script_runs(page: str) -> None:
    assert "script" not in _outline(page).tags
    assert "default-src 'none'" in page
    outside = {
        address
        for address in re.findall(r"""(?:href|src|url)\s*[=(]\s*["']?([^"')\s>]+)""", page)
        if not address.startswith("#")
    }
    assert outside == set()


def test_charts_take_the_colours_of_the_page_and_name_their_axes(page: str) -> None:
    charts = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert all("currentColor" in chart for chart in charts)
    axes = ["queries, sorted by their difference", "mean nDCG@10", "change in nDCG@10"]
    for chart, axis in zip(charts, [*axes, "milliseconds, logarithmic"], strict=True):
        assert axis in "".join(ET.fromstring(chart).itertext())
    assert "prefers-color-scheme: dark" in page


def test_foreign_text_is_escaped_everywhere_charts_included() -> None:
    report = sample_report()
    cases = tuple(replace(case, stratum=HOSTILE) for case in report.cases[:12])
    scores = [s for s in report.scores if s.stratum is not None]
    renamed = tuple(
        replace(s, stratum=HOSTILE if s.stratum == "exact" else "plain", variant=HOSTILE)
        for s in scores
    )
    variants = tuple(replace(v, name=HOSTILE) for v in report.variants[:1])
    rows = tuple(replace(row, variant=HOSTILE) for row in report.of_variant("l0"))
    hostile = replace(
        report,
        set_name=HOSTILE,
        cases=(*cases, *(replace(case, stratum="plain") for case in report.cases[12:])),
        variants=variants,
        scores=(*(s for s in report.scores if s.stratum is None), *renamed),
        rows=rows,
        comparisons=(),
        stratum_comparisons=(),
        warnings=(HOSTILE,),
        versions={HOSTILE: HOSTILE},
    )
    page = to_html(build_document(hostile))
    outline = _outline(page)
    assert {"script", "red"} & set(outline.tags) == set()
    assert page.count("<svg") == 3
    assert HOSTILE in "".join(outline.text)


def test_a_chart_survives_values_at_the_edge() -> None:
    one = Figure(
        title="T",
        caption="C",
        kind="latency",
        measure="milliseconds",
        values=({"variant": "v", "p5": 1.0, "p25": 1.0, "median": 1.0, "p75": 1.0, "p95": 1.0},),
    )
    none = Figure(title="T", caption="C", kind="differences", measure="MRR", values=())
    document = Document(title="T", subtitle="", sections=(Section(title="S", blocks=(one, none)),))
    assert to_html(document).count("<svg") == 2


def test_a_long_table_is_folded() -> None:
    table = Table(title="Long", columns=columns("a"), rows=tuple((str(i),) for i in range(40)))
    document = Document(title="T", subtitle="", sections=(Section(title="S", blocks=(table,)),))
    assert "<summary>Long (40 rows)</summary>" in to_html(document)


def test_every_metric_is_in_the_page(page: str) -> None:
    assert all(f">{metric}</th>" in page for metric in METRICS)
