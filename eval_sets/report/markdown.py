"""A report as Markdown (GitHub's tables); figures are left to the HTML page."""

import re
from collections.abc import Iterator

from eval_sets.report.document import Cell, Document, Figure, Table, text_of, tone_of
from retrieval.console import plain

# What Markdown, or HTML inside it, reads as more than text; names such as no_answer stay legible.
_SPECIAL = re.compile(r"([\\`*\[\]<>|~$&]|:(?=//)|(?<![^\W_])[_@]|_(?![^\W_]))")
_AT_START = re.compile(r"^([-=+#]|\d+(?=[.)]))")
_MARKS = {"bad": "**", "good": "", "plain": "", "quiet": ""}


def to_markdown(document: Document) -> str:
    """The document as Markdown text. Every text in it is shown as it is, and never obeyed."""
    lines = [f"# {escape(document.title)}", ""]
    if document.subtitle:
        lines += [_paragraph(document.subtitle), ""]
    for section in document.sections:
        lines += [f"## {escape(section.title)}", ""]
        for block in section.blocks:
            if isinstance(block, Table):
                lines += [*_table(block), ""]
            elif not isinstance(block, Figure):
                lines += [_paragraph(block), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def escape(text: str) -> str:
    """The text on one line with every character that Markdown could obey behind a backslash."""
    line = " ".join(plain(text).split())
    return _SPECIAL.sub(r"\\\1", line)


def _paragraph(cell: Cell) -> str:
    """What makes a heading or a list counts only where a line starts."""
    return _AT_START.sub(lambda m: f"{m[1]}\\" if m[1].isdigit() else f"\\{m[1]}", _cell(cell))


def _cell(cell: Cell) -> str:
    text, mark = escape(text_of(cell)), _MARKS[tone_of(cell)]
    return f"{mark}{text}{mark}" if text else ""


def _table(table: Table) -> Iterator[str]:
    if table.title:
        yield f"**{escape(table.title)}**"
        yield ""
    yield _row(escape(column.name) for column in table.columns)
    yield _row("---:" if column.numeric else "---" for column in table.columns)
    for row in table.rows:
        yield _row(_cell(cell) for cell in row)


def _row(cells: Iterator[str]) -> str:
    return f"| {' | '.join(cells)} |"
