"""Text that is too long for the window, cut where it hurts least, nothing lost.

Blocks stay whole where they fit. A table is cut between rows and its header repeated, a code fence
between lines and the fence repeated, other text between lines, then sentences, then words, and
last between characters.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from retrieval.knowledge.outline import Block

_LEVELS = (
    re.compile(r"""[.!?]["')\]]*\s+|[。！？；…]+[」』”’）]*"""),
    re.compile(r"[,;:]\s+|[，、：]"),
    re.compile(r"\s+"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Part of a section: its lines, 0-based with both ends, and its text."""

    text: str
    first: int
    last: int
    whole_lines: bool = True
    """True when the text is exactly these lines, so that a neighbour can be joined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Splitter:
    """Cuts the blocks of a section into pieces that fit.

    `fits` tells whether a text, with what is embedded before it, is within the window; `size`
    is what a text adds to another, and `room` what may be added to what is embedded before.
    """

    lines: Sequence[str]
    fits: Callable[[str], bool]
    size: Callable[[str], int]
    room: int

    def split(self, blocks: Sequence[Block]) -> list[Piece]:
        """The pieces in order. Consecutive blocks stand in one piece while they fit."""
        whole = self._piece(blocks[0].start, blocks[-1].end - 1)
        if self.fits(whole.text):
            return [whole]
        heading, room = "", self.room
        if blocks[0].kind == "heading":
            heading = self._piece(blocks[0].start, blocks[0].end - 1).text
            # The heading stands before the first piece, whichever that will be.
            if self.size(heading) < room // 2:
                room -= self.size(heading)
        pieces = [piece for block in blocks for piece in self._parts(block, room)]
        packed = [piece for group in self._groups(pieces) for piece in self._settle(group)]
        return self._with_heading(packed, heading)

    def _piece(self, first: int, last: int) -> Piece:
        return Piece(text="\n".join(self.lines[first : last + 1]), first=first, last=last)

    def _parts(self, block: Block, room: int) -> list[Piece]:
        whole = self._piece(block.start, block.end - 1)
        if self.size(whole.text) <= room:
            return [whole]
        wrapped: list[Piece] = [piece for part in block.inner for piece in self._parts(part, room)]
        if block.kind == "table":
            wrapped = self._wrapped(block, head=2, tail="", room=room)
        elif block.kind == "fence":
            opening = self.lines[block.start]
            mark = opening.lstrip(" >")
            mark = mark[: len(mark) - len(mark.lstrip(mark[:1]))]
            tail = self.lines[block.end - 1]
            closed = block.end - block.start > 1 and mark in tail and not tail.strip(f" {mark[0]}")
            wrapped = self._wrapped(
                block, head=1, tail=tail if closed else mark, room=room, drop_last=closed
            )
        return wrapped or self._by_line(block.start, block.end - 1, room)

    def _wrapped(
        self, block: Block, *, head: int, tail: str, room: int, drop_last: bool = False
    ) -> list[Piece]:
        """Parts that each repeat the first lines and the tail; none when these take half the room.

        The first part's range begins with the block, and the last part's ends with it.
        """
        before = "\n".join(self.lines[block.start : block.start + head])
        inner = room - self.size(before) - (self.size(tail) if tail else 0)
        if inner <= room // 2:
            return []
        rows = self._by_line(block.start + head, block.end - 1 - drop_last, inner)
        parts = []
        groups = list(self._groups(rows, inner))
        for number, group in enumerate(groups):
            text = "\n".join(piece.text for piece in group)
            parts.append(
                Piece(
                    text="\n".join(part for part in (before, text, tail) if part),
                    first=block.start if number == 0 else group[0].first,
                    last=block.end - 1 if number == len(groups) - 1 else group[-1].last,
                    whole_lines=False,
                )
            )
        return parts

    def _by_line(self, first: int, last: int, room: int) -> list[Piece]:
        pieces = []
        for number in range(first, last + 1):
            line = self.lines[number]
            if self.size(line) <= room:
                pieces.append(self._piece(number, number))
                continue
            pieces += [
                Piece(text=part, first=number, last=number, whole_lines=False)
                for part in cut_text(line, lambda text: self.size(text) <= room)
            ]
        return pieces

    def _groups(self, pieces: Iterable[Piece], room: int | None = None) -> Iterable[list[Piece]]:
        """Runs of whole-line pieces that fit together; any other piece stands alone."""
        limit = self.room if room is None else room
        group: list[Piece] = []
        total = 0
        for piece in pieces:
            size = self.size(piece.text)
            joins = group and piece.whole_lines and group[-1].whole_lines
            if group and not (joins and total + size <= limit):
                yield group
                group, total = [], 0
            group.append(piece)
            total += size
        if group:
            yield group

    def _settle(self, group: list[Piece]) -> list[Piece]:
        """The group as one piece, or cut on where the sizes did not add up."""
        joined = self._piece(group[0].first, group[-1].last) if group[0].whole_lines else group[0]
        if self.fits(joined.text):
            return [joined]
        if len(group) > 1:
            half = len(group) // 2
            return self._settle(group[:half]) + self._settle(group[half:])
        piece = group[0]
        if piece.whole_lines and piece.last > piece.first:
            return self._settle([self._piece(n, n) for n in range(piece.first, piece.last + 1)])
        return [
            Piece(text=part, first=piece.first, last=piece.last, whole_lines=False)
            for part in cut_text(piece.text, self.fits)
        ]

    def _with_heading(self, pieces: list[Piece], heading: str) -> list[Piece]:
        """The pieces, with a heading that stands alone put before the first text below it."""
        if heading and len(pieces) > 1 and pieces[0].text.strip() == heading.strip():
            joined = f"{pieces[0].text}\n\n{pieces[1].text}"
            if self.fits(joined):
                first = Piece(
                    text=joined, first=pieces[0].first, last=pieces[1].last, whole_lines=False
                )
                return [first, *pieces[2:]]
        return pieces


def cut_text(text: str, fits: Callable[[str], bool], level: int = 0) -> list[str]:
    """Parts of the text that fit, in order; joined they are the text again.

    A single character is a part even when it does not fit.
    """
    if fits(text) or len(text) < 2:
        return [text]
    if level == len(_LEVELS):
        half = len(text) // 2
        return cut_text(text[:half], fits, level) + cut_text(text[half:], fits, level)
    parts: list[str] = []
    at = 0
    for end in (*(found.end() for found in _LEVELS[level].finditer(text)), len(text)):
        unit = text[at:end]
        at = end
        if parts and fits(parts[-1] + unit):
            parts[-1] += unit
        elif unit:
            parts += cut_text(unit, fits, level + 1)
    return parts
