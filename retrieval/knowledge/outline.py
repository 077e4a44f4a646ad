"""A note's body as a reader sees it: lines without HTML comments, sections, blocks.

Structure follows CommonMark with tables: a `#` inside a fence is no heading, and a rule is an
underlined heading only below a paragraph.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

BlockKind = Literal["heading", "table", "fence", "text"]

_KINDS: dict[str, BlockKind] = {
    "heading_open": "heading",
    "table_open": "table",
    "fence": "fence",
}
_CONTAINERS = frozenset({"bullet_list_open", "ordered_list_open", "blockquote_open"})
_COMMENT = re.compile(r"<!--(?:-?>|.*?-->)", re.DOTALL)
_CODE_SPAN_OR_COMMENT = re.compile(
    rf"(?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)|(?P<comment>{_COMMENT.pattern})", re.DOTALL
)
_UNCLOSED = "\0"  # no control character gets here
_HEADING_ATTRIBUTES = re.compile(r"\s*\{[#:.][^{}]*\}\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Consecutive lines of the body, `start` to before `end`, 0-based."""

    kind: BlockKind
    start: int
    end: int
    inner: tuple["Block", ...] = ()
    """The same lines in parts, where a list or a quote holds tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """The blocks from one heading to the next, the heading included."""

    breadcrumb: tuple[str, ...]
    """Headings from the top down; empty before the first heading."""
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """The structure of a body."""

    lines: tuple[str, ...]
    """The body's lines, with the text of HTML comments taken out."""
    sections: tuple[Section, ...]
    headings: tuple[tuple[int, str], ...]
    """Level and plain text, in order."""
    unclosed_comment: int | None = None
    """0-based line of a comment that nothing closes; its text was kept."""

    @property
    def first_h1(self) -> str | None:
        """The text of the first heading of level one, or None."""
        return next((text for level, text in self.headings if level == 1 and text), None)


def read_outline(body: str) -> Outline:
    """The outline of a body with `\\n` line ends. A body without text has no sections."""
    visible, unclosed, tokens = _without_comments(body)
    lines = visible.split("\n")
    sections: list[Section] = []
    headings: list[tuple[int, str]] = []
    stack: list[tuple[int, str]] = []
    blocks: list[Block] = []
    for block, index in _blocks(tokens, lines):
        if block.kind == "heading":
            _close(sections, stack, blocks)
            blocks = []
            level = int(tokens[index].tag[1:])
            text = _heading_text(tokens[index + 1].content)
            headings.append((level, text))
            # By level and not by depth: after a skipped level a sibling stays a sibling.
            stack = [(above, name) for above, name in stack if above < level] + [(level, text)]
        blocks.append(block)
    _close(sections, stack, blocks)
    return Outline(
        lines=tuple(lines),
        sections=tuple(sections),
        headings=tuple(headings),
        unclosed_comment=unclosed,
    )


def _close(
    sections: list[Section], stack: Sequence[tuple[int, str]], blocks: Sequence[Block]
) -> None:
    if blocks:
        breadcrumb = tuple(name for _, name in stack if name)
        sections.append(Section(breadcrumb=breadcrumb, blocks=tuple(blocks)))


def _blocks(tokens: "Sequence[Token]", lines: Sequence[str]) -> Iterator[tuple[Block, int]]:
    """The top-level blocks with the index of their token; lines without a token are text (-1)."""
    done = 0
    for index, token in enumerate(tokens):
        if token.level or token.map is None or token.nesting < 0:
            continue
        start, end = max(token.map[0], done), token.map[1]
        while end > start and not lines[end - 1].strip():
            end -= 1
        if end <= start:
            continue
        if any(line.strip() for line in lines[done:start]):
            yield Block(kind="text", start=done, end=start), -1
        kind = _KINDS.get(token.type, "text")
        inner = (
            tuple(_inner(_following(tokens, index), start, end))
            if token.type in _CONTAINERS
            else ()
        )
        yield Block(kind=kind, start=start, end=end, inner=inner), index
        done = end
    if any(line.strip() for line in lines[done:]):
        yield Block(kind="text", start=done, end=len(lines)), -1


def _following(tokens: "Sequence[Token]", index: int) -> "Iterator[Token]":
    """The tokens inside the one at `index`; a slice would copy the rest of the note each time."""
    following = map(tokens.__getitem__, range(index + 1, len(tokens)))
    return takewhile(lambda token: token.level, following)


def _inner(tokens: "Iterable[Token]", start: int, end: int) -> Iterator[Block]:
    """The tables of a list or quote and the text around them; nothing without a table."""
    done = start
    for token in tokens:
        if token.type == "table_open" and token.map is not None:
            if done < token.map[0]:
                yield Block(kind="text", start=done, end=token.map[0])
            yield Block(kind="table", start=token.map[0], end=token.map[1])
            done = token.map[1]
    if start < done < end:
        yield Block(kind="text", start=done, end=end)


def _without_comments(body: str) -> "tuple[str, int | None, list[Token]]":
    """The body with comments taken out, the line of an unclosed one, and the tokens of the rest."""
    tokens = _block_parser().parse(body)
    if "<!--" not in body:
        return body, None, tokens
    lines = body.split("\n")
    unclosed: int | None = None
    last = 0
    for token in tokens:
        if token.map is None or token.type not in ("html_block", "inline", "tr_open"):
            continue
        # A comment can run past the block in which a parser sees it begin.
        start, end = max(token.map[0], last), token.map[1]
        text = "\n".join(lines[start:end])
        if "<!--" not in text:
            continue
        html = token.type == "html_block"
        text = _blank_out(text, html=html)
        if html and "<!--" in text:
            closing = next((i for i in range(end, len(lines)) if "-->" in lines[i]), None)
            if closing is None:
                unclosed = start + text[: text.index("<!--")].count("\n")
                break
            rest = "\n".join((text, *lines[end : closing + 1]))
            text, end, last = _blank_out(rest, html=True, count=1), closing + 1, closing
        lines[start:end] = text.split("\n")
    visible = "\n".join(lines)
    parsed = visible
    if unclosed is not None:
        before = "\n".join(lines[:unclosed])
        parsed = before + visible[len(before) :].replace("<!--", "&lt;!--")
    return visible, unclosed, _block_parser().parse(parsed)


def _blank_out(text: str, *, html: bool, count: int = 0) -> str:
    """The text without comments, line ends kept; in markdown, code spans keep theirs."""

    def line_ends(found: re.Match[str]) -> str:
        if not html and found["comment"] is None:
            return found[0]
        return "\n" * found[0].count("\n")

    # Behind the last --> nothing closes: looking for it from every <!-- would take quadratic time.
    last = max(text.rfind("-->"), 0)
    text = text[:last] + text[last:].replace("<!--", _UNCLOSED)
    pattern = _COMMENT if html else _CODE_SPAN_OR_COMMENT
    return pattern.sub(line_ends, text, count=count).replace(_UNCLOSED, "<!--")


def _heading_text(source: str) -> str:
    """A heading's text without markup, attributes and repeated blanks."""
    source = _HEADING_ATTRIBUTES.sub("", source)
    children = _inline_parser().parseInline(source)[0].children or ()
    return " ".join("".join(_plain(children)).split())


def _plain(tokens: "Sequence[Token]") -> Iterator[str]:
    for token in tokens:
        if token.type in ("text", "code_inline"):
            yield token.content
        elif token.type in ("softbreak", "hardbreak"):
            yield " "
        elif token.children:
            yield from _plain(token.children)


@lru_cache(maxsize=1)
def _block_parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"])


@lru_cache(maxsize=1)
def _inline_parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")
