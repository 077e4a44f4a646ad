"""Foreign text stays text, in HTML and in labels."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as texts
from markupsafe import Markup

from tests.workbench.reading import Reading
from workbench.presenters.markup import (
    chip,
    clip,
    highlight,
    joined,
    merge_spans,
    plain_label,
    plain_option,
    tag,
)
from workbench.presenters.prose import prose, prose_label

HOSTILE = "<img src=x onerror=alert(1)>&amp;\"' <script>x</script>"


def read(html: str) -> Reading:
    reading = Reading()
    reading.feed(html)
    reading.close()
    return reading


@pytest.mark.parametrize(
    "html",
    [
        tag("p", HOSTILE),
        tag("p", "x", title=HOSTILE),
        chip(HOSTILE, title=HOSTILE),
        highlight(HOSTILE, [(2, 9)]),
        joined([HOSTILE, tag("b", HOSTILE)], HOSTILE),
    ],
)
def test_nothing_of_a_foreign_text_is_active(html: Markup) -> None:
    assert read(html).active == []


@given(texts.text(), texts.lists(texts.tuples(texts.integers(-3, 40), texts.integers(-3, 40))))
def test_highlighting_keeps_the_text(text: str, spans: list[tuple[int, int]]) -> None:
    shown = "".join(read(highlight(text, spans)).pieces)
    assert len(shown.replace("\r\n", "\n")) <= len(text)
    visible = re.compile(r"[^\w ]")
    assert visible.sub("", shown) == visible.sub("", text)


def test_highlighting_marks_the_spans() -> None:
    assert highlight("a <b> c", [(2, 5)]) == "a <mark>&lt;b&gt;</mark> c"


def test_spans_that_overlap_or_touch_become_one() -> None:
    assert merge_spans([(4, 6), (0, 2), (2, 3), (5, 99), (3, 3)], 8) == [(0, 3), (4, 8)]


@pytest.mark.parametrize(
    "text", ["costs $5 and $6", ":red[x] :smile:", "*a* _b_ `c`", "# x", "<b>", "1. x", "a|b~~c~~"]
)
def test_a_label_escapes_all_that_markdown_reads(text: str) -> None:
    label = plain_label(text)
    assert re.sub(r"\\(.)", r"\1", label) == text
    assert not re.search(r"(?<!\\)[$*_`#<|~:\[]", label)


def test_a_label_stands_on_one_line_and_is_cut() -> None:
    assert plain_label("a\n\n b\tc") == "a b c"
    assert clip("x" * 20, 5) == "xxxx…"
    assert plain_option("$5 for *all*\nof it") == "$5 for *all* of it"


def test_characters_that_reorder_others_are_shown_as_boxes() -> None:
    assert tag("p", "a\u202eb\x00c") == "<p>a\u25a1b\u25a1c</p>"


def test_names_between_backticks_become_code() -> None:
    text = "Run `lookup-knowledge lint`, then check `root`."
    assert prose(text) == "Run <code>lookup-knowledge lint</code>, then check <code>root</code>."
    assert prose_label(text) == "Run `lookup-knowledge lint`, then check `root`\\."


def test_other_backticks_stay_characters() -> None:
    assert prose("a ` b `` c") == "a ` b `` c"
    assert prose_label("a ` b") == r"a \` b"
    assert prose("`<b>`") == "<code>&lt;b&gt;</code>"
    assert prose_label(":smile: `x` $y$ ") == r"\:smile\: `x` \$y\$"
