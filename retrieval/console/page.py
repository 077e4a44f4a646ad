"""Lines of styled text that wrap at the terminal's width, without markup of any kind."""

import re
from typing import TextIO

from rich.console import Console
from rich.text import Text

Piece = str | tuple[str, str]
"""A text, or a text and its style."""

WIDEST = 100
NARROWEST = 20
SHORTEST_ROW = 80
# C0 and C1 control characters but line feed and tab, and the marks that reorder what is shown.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_LINE_ENDS = re.compile("\r\n?|[\u2028\u2029]")


def plain(text: str) -> str:
    """The text with nothing in it that a terminal obeys; line ends are line feeds."""
    return _CONTROLS.sub("", _LINE_ENDS.sub("\n", text))


class Page:
    """A terminal, or a file, that lines are written to; at most 100 columns, 80 in a file."""

    def __init__(self, file: TextIO | None = None, width: int | None = None) -> None:
        self._console = Console(
            file=file, width=width, markup=False, highlight=False, emoji=False, soft_wrap=False
        )
        self._width = min(self._console.width, WIDEST)

    def row(self, *pieces: Piece) -> None:
        """One line, cut with an ellipsis where the page ends, but not before column 80."""
        text = Text.assemble(*(_plain_piece(piece) for piece in pieces))
        text.truncate(max(self._width, SHORTEST_ROW), overflow="ellipsis")
        self._console.print(text, no_wrap=True, overflow="ignore", crop=False)

    def line(self, *pieces: Piece, indent: int = 0, hang: int = 0) -> None:
        """One paragraph; lines after its first are indented by `hang` more columns."""
        text = Text.assemble(*(_plain_piece(piece) for piece in pieces))
        lines = self._wrap(text, indent)
        if hang and len(lines) > 1:
            rest = text[len(lines[0].plain) :]
            blanks = len(rest.plain) - len(rest.plain.lstrip())
            lines = [lines[0], *self._wrap(rest[blanks:], indent + hang)]
        for position, line in enumerate(lines):
            line.rstrip()
            margin = " " * (indent + hang if position else indent)
            self._console.print(
                Text(margin) + line if line else line, no_wrap=True, overflow="ignore"
            )

    def heading(self, title: str, *pieces: Piece) -> None:
        """An empty line, then the title and what follows it."""
        self.blank()
        self.line((title, "bold"), *pieces, hang=2)

    def blank(self) -> None:
        """An empty line."""
        self._console.print()

    def _wrap(self, text: Text, indent: int) -> list[Text]:
        return list(text.wrap(self._console, max(self._width - indent, NARROWEST), tab_size=4))


def _plain_piece(piece: Piece) -> Piece:
    return plain(piece) if isinstance(piece, str) else (plain(piece[0]), piece[1])
