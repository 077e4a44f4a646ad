"""Markdown tables."""

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; bars in cells are escaped, and nothing else is."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_escape, line))} |" for line in lines)


def sentence(text: str) -> str:
    """The text on one line, with a capital where it begins with a word."""
    line = " ".join(text.split())
    return line[:1].upper() + line[1:] if line.partition(" ")[0].isalpha() else line


def _escape(cell: str) -> str:
    return cell.replace("|", "\\|")
