"""The cutting that one writes for a tool without a splitter of its own."""

from collections.abc import Iterator

LONGEST = 1000
"""Characters of a chunk; some 250 tokens of English prose."""


def pack_paragraphs(text: str) -> Iterator[str]:
    """Paragraphs joined up to 1000 characters; a longer one is cut at that length."""
    packed = ""
    for paragraph in text.split("\n\n"):
        for start in range(0, len(paragraph), LONGEST):
            piece = paragraph[start : start + LONGEST]
            if packed and len(packed) + len(piece) + 2 > LONGEST:
                yield packed
                packed = piece
            else:
                packed = f"{packed}\n\n{piece}" if packed else piece
    if packed.strip():
        yield packed
