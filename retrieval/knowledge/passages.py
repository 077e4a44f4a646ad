"""Passages: the pieces of a note that are embedded, one or more for each heading."""

from collections.abc import Callable
from functools import cache

from retrieval.knowledge.outline import Outline, Section
from retrieval.knowledge.splitting import Piece, Splitter
from retrieval.text import fold
from retrieval.types import Passage

# What stands before a passage's text takes at most this; a wide (CJK) character counts twice.
_PREFIX_WIDTH = 200
_FIRST_WIDE = "\u2e80"


def embedding_text(
    title: str,
    passage: Passage,
    *,
    window: int | None = None,
    measure: Callable[[str], int] | None = None,
) -> str:
    """What is embedded for a passage: title and breadcrumb in one line, a blank line, the text.

    The title is not repeated when the breadcrumb begins with it. A long first line is shortened:
    headings between title and own heading go first. With `window` and `measure`, as the passage
    was cut, it also takes at most half the window; from 200 tokens up that makes no difference.
    """
    return f"{_prefix(title, passage.breadcrumb, window, measure)}\n\n{passage.text}"


def cut_passages(
    outline: Outline,
    *,
    source: str,
    title: str,
    body_line: int,
    window: int,
    measure: Callable[[str], int],
) -> tuple[Passage, ...]:
    """The passages of a note, in order. A note without text gives one that holds its title.

    Each is at most `window` as `measure` sees its `embedding_text`. Its text is lines of the file
    without comments; only where a table or a fence was cut, its first lines are repeated.
    `body_line` is the file's line on which the body begins.
    """
    cut: list[tuple[tuple[str, ...], Piece]] = [
        (section.breadcrumb or (title,), piece)
        for section in _with_text(outline)
        for piece in _cut_section(section, outline, title, window, measure)
        if piece.text.strip()
    ]
    if not cut:
        text = _prefix(title, (), window, measure)
        return (_passage(source, 0, (title,), Piece(text=text, first=0, last=0), 1),)
    return tuple(
        _passage(source, ordinal, breadcrumb, piece, body_line)
        for ordinal, (breadcrumb, piece) in enumerate(cut)
    )


def _with_text(outline: Outline) -> list[Section]:
    """The sections; a heading that only leads to deeper ones stands at the head of the first.

    By itself it would be a passage that sounds like an answer and holds none.
    """
    joined: list[Section] = []
    leading: list[Section] = []
    for section in outline.sections:
        while leading and leading[-1].breadcrumb != section.breadcrumb[:-1]:
            joined.append(leading.pop(0))
        if all(
            block.kind == "heading" or not "".join(outline.lines[block.start : block.end]).strip()
            for block in section.blocks
        ):
            leading.append(section)
            continue
        blocks = tuple(b for lead in leading for b in lead.blocks) + section.blocks
        joined.append(Section(breadcrumb=section.breadcrumb, blocks=blocks))
        leading = []
    return joined + leading


def _cut_section(
    section: Section, outline: Outline, title: str, window: int, measure: Callable[[str], int]
) -> list[Piece]:
    prefix = _prefix(title, section.breadcrumb or (title,), window, measure) + "\n\n"
    marks = measure("")  # what a tokeniser puts around every text
    splitter = Splitter(
        lines=outline.lines,
        fits=lambda text: measure(prefix + text) <= window,
        size=cache(lambda text: measure(text + "\n") - marks),
        room=window - measure(prefix),
    )
    return splitter.split(section.blocks)


def _passage(
    source: str, ordinal: int, breadcrumb: tuple[str, ...], piece: Piece, body_line: int
) -> Passage:
    lines = piece.text.split("\n")
    blank_before = next(n for n, line in enumerate(lines) if line.strip())
    blank_after = next(n for n, line in enumerate(reversed(lines)) if line.strip())
    return Passage(
        id=f"{source}#{ordinal}",
        source=source,
        ordinal=ordinal,
        breadcrumb=breadcrumb,
        text="\n".join(lines[blank_before : len(lines) - blank_after]).rstrip(),
        line_start=body_line + piece.first + (blank_before if piece.whole_lines else 0),
        line_end=body_line + piece.last - (blank_after if piece.whole_lines else 0),
    )


def _prefix(
    title: str,
    breadcrumb: tuple[str, ...],
    window: int | None,
    measure: Callable[[str], int] | None,
) -> str:
    def fits(text: str) -> bool:
        width = len(text) + sum(char >= _FIRST_WIDE for char in text)
        within = window is None or measure is None or measure(text) <= window // 2
        return width <= _PREFIX_WIDTH and within

    repeated = breadcrumb and fold(breadcrumb[0]) == fold(title)
    parts = [title, *breadcrumb[1 if repeated else 0 :]]
    while len(parts) > 2 and not fits(" > ".join(parts)):
        del parts[1]
    text = " > ".join(parts)
    while len(text) > 1 and not fits(text):
        longest = max(range(len(parts)), key=lambda n: len(parts[n]))
        parts[longest] = parts[longest][: len(parts[longest]) * 3 // 4]
        text = " > ".join(part for part in parts if part.strip())
    return text
