import re

import pytest
from markdown_it import MarkdownIt

from eval_sets.report import build_document, to_markdown
from eval_sets.report.document import Document, Section, Table, columns
from eval_sets.report.markdown import escape
from tests.eval_sets.report.samples import sample_report

RENDER = MarkdownIt("gfm-like", {"linkify": False})


def test_tables_have_as_many_cells_in_every_row() -> None:
    text = to_markdown(build_document(sample_report()))
    html = RENDER.render(text)
    for table in re.findall(r"<table>.*?</table>", html, re.DOTALL):
        rows = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
        assert len({len(re.findall("<t[hd]", row)) for row in rows}) == 1


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert('x')</script> | *bold* [red](x) `code`",
        "| a | b |",
        "_it_ __it__ ~~it~~ $x$ &lt; https://a.b \\",
        "no_answer 0.5 a_b_c",
    ],
)
def test_foreign_text_reads_as_it_is(text: str) -> None:
    html = RENDER.render(f"| a |\n| - |\n| {escape(text)} |\n")
    (cell,) = re.findall(r"<td>(.*)</td>", html)
    shown = (
        cell.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")
    )
    assert shown == text


@pytest.mark.parametrize("text", ["# one", "- one", "+ one", "1. one", "2) one", "> one", "=="])
def test_a_paragraph_stays_a_paragraph(text: str) -> None:
    document = Document(title="T", subtitle=text, sections=())
    assert RENDER.render(to_markdown(document)).count("<p>") == 1


def test_control_characters_and_line_ends_do_not_leave_the_cell() -> None:
    table = Table(columns=columns("a"), rows=(("one\ntwo\x1b[2J | three",),))
    document = Document(title="T", subtitle="", sections=(Section(title="S", blocks=(table,)),))
    assert "| one two\\[2J \\| three |" in to_markdown(document).splitlines()


def test_what_is_bad_stands_out() -> None:
    assert "**Warning: 2 notes changed**" in to_markdown(build_document(sample_report()))
