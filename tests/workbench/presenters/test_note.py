"""A note with its matched lines."""

from retrieval.types import PassageSpan
from workbench.presenters.note import present_note


def span(first: int, last: int) -> PassageSpan:
    return PassageSpan(id="p", breadcrumb=(), line_start=first, line_end=last, score=None)


def test_the_lines_of_all_passages_are_marked_and_the_first_is_named() -> None:
    html = present_note("a\n<b>\nc\nd\n", [span(4, 4), span(2, 2)])
    assert '<div class="hit first"><i>2</i><span>&lt;b&gt;</span></div>' in html
    assert '<div class="hit"><i>4</i><span>d</span></div>' in html
    assert "<div><i>1</i><span>a</span></div>" in html
    assert "<i>5</i>" not in html


def test_a_note_that_shrank_or_is_empty_is_still_shown() -> None:
    assert "hit" not in present_note("a\n", [span(7, 9)])
    assert "empty" in present_note("", [span(1, 1)])
