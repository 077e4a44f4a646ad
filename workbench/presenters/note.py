"""A whole note as numbered lines, with those of the matched passages marked."""

from collections.abc import Sequence

from markupsafe import Markup

from retrieval.types import PassageSpan
from workbench.presenters.markup import joined, tag


def present_note(text: str, passages: Sequence[PassageSpan]) -> Markup:
    """Every line of the file with its number; an empty file says so.

    The first matched line has the class `first`, so that the browser can scroll to it.
    """
    if not text:
        return tag("p", "The file is empty.", css="kw-muted")
    marked = {n for p in passages for n in range(p.line_start, p.line_end + 1)}
    first = min(marked, default=0)
    lines = [
        tag("div", tag("i", str(number)), tag("span", line), css=_css(number, marked, first))
        for number, line in enumerate(text.removesuffix("\n").split("\n"), 1)
    ]
    return tag("div", joined(lines), css="kw-lines")


def _css(number: int, marked: set[int], first: int) -> str:
    if number not in marked:
        return ""
    return "hit first" if number == first else "hit"
