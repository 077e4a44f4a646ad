"""Pages as a reader on the web sees them: headings, anchors, links, tables."""

import re
from collections.abc import Iterator
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
_PARSER = MarkdownIt("commonmark", {"html": True}).enable("table")


def pages() -> list[Path]:
    """Every page of the documentation; bundled notes are data."""
    found = [path for path in ROOT.rglob("*.md") if "knowledge" not in _folders_of_sets(path)]
    hidden = [p for p in found if any(part.startswith(".") for part in p.relative_to(ROOT).parts)]
    return sorted(set(found) - set(hidden))


def _folders_of_sets(path: Path) -> tuple[str, ...]:
    parts = path.relative_to(ROOT).parts
    return parts[3:-1] if parts[:2] == ("eval_sets", "sets") else ()


def links(text: str) -> list[str]:
    """The targets of all links and images, as written."""
    return [
        str(token.attrGet("href") or token.attrGet("src"))
        for token in _inline(text)
        if token.type in ("link_open", "image")
    ]


def _inline(text: str) -> Iterator[Token]:
    for token in _PARSER.parse(text):
        yield from token.children or ()


def headings(text: str) -> list[str]:
    """The text of each heading, without markup."""
    tokens = _PARSER.parse(text)
    return [
        "".join(part.content for part in tokens[at + 1].children or ())
        for at, token in enumerate(tokens)
        if token.type == "heading_open"
    ]


def anchors(text: str) -> set[str]:
    """The anchors of the headings as GitHub makes them; a repeated one gets a number."""
    found: set[str] = set()
    for heading in headings(text):
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        number = 0
        while (name := slug if not number else f"{slug}-{number}") in found:
            number += 1
        found.add(name)
    return found


def tables(text: str) -> dict[str, list[list[str]]]:
    """Heading → the rows of the first table below it, cells as written, without the head."""
    found: dict[str, list[list[str]]] = {}
    heading, tokens = "", _PARSER.parse(text)
    rows: list[list[str]] = []
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            heading = "".join(part.content for part in tokens[at + 1].children or ())
        elif token.type == "tbody_open":
            rows = []
            found.setdefault(heading, rows)
        elif token.type == "thead_open":
            rows = []
        elif token.type == "tr_open":
            rows.append([])
        elif token.type == "td_open":
            rows[-1].append(tokens[at + 1].content)
    return found
