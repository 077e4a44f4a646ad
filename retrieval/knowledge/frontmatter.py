"""A note's text taken apart: frontmatter fields as text, and the body with its first line.

A fence is a whole line at column 0. Only the first line of the file opens frontmatter; a byte order
mark, blank lines and HTML comments may stand before it. The next fence line closes it, and later
rules belong to the body.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from frontmatter.default_handlers import YAMLHandler

from retrieval.knowledge.decoding import CONTROL, without_controls
from retrieval.knowledge.refusal import refuse, warn
from retrieval.knowledge.toml_fields import read_toml
from retrieval.knowledge.yaml_fields import read_yaml
from retrieval.types import Json, LoadIssue

_OPEN = re.compile(r"(?:(?P<yaml>-{3,})|(?P<toml>\+{3,}))[ \t]*")
_CLOSE = {"yaml": re.compile(r"(?:-{3,}|\.{3})[ \t]*"), "toml": re.compile(r"\+{3,}[ \t]*")}
_KEY = re.compile(
    r"""\s*\{?\s*(?:"[^"]*"\s*:|'[^']*'\s*:|\{\{|<%|\{%|\?\s"""
    r"""|[^\s#:'"\[\]{}*>|&!@`-](?:[^:]|:(?=\S))*:(?:\s|$))"""
)
_ALMOST_KEY = re.compile(r"\s*[\w-]+\s*[:=]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontmatter:
    """The parts of a note."""

    fields: Mapping[str, Json]
    """Keys as written; values are text, None, or lists and mappings of these."""
    body: str
    body_line: int
    """1-based line of the file on which the body begins."""
    issues: tuple[LoadIssue, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    syntax: Literal["yaml", "toml"]
    block: str
    block_line: int
    body: str
    body_line: int


class NoteHandler(YAMLHandler):
    """A python-frontmatter handler with this project's fences and text scalars.

    `frontmatter.loads(text, handler=NoteHandler())` works with it. The lookup itself calls
    `read_frontmatter`, because `frontmatter.parse` strips the text before it is split: the body
    loses its line numbers and the indentation of its first line.
    """

    def detect(self, text: str) -> bool:
        return isinstance(_split(text), _Parts)

    def split(self, text: str) -> tuple[str, str]:
        parts = _split(text)
        if not isinstance(parts, _Parts) or parts.syntax != "yaml":
            raise ValueError("no YAML frontmatter")
        return parts.block, parts.body

    def load(self, fm: str, **_: object) -> Any:
        return read_yaml(fm, line=2, source="text")[0]


def read_frontmatter(text: str, source: str) -> Frontmatter:
    """The fields, body and warnings of a note's text as `decode` gives it.

    A text without frontmatter has no fields and is all body. A block between two rules whose first
    line is no `key:` is body too.

    Raises `NoteRefused` with the line of the file for frontmatter that cannot be read.
    """
    parts = _split(text)
    if not isinstance(parts, _Parts):
        return _all_body(text, source, parts)
    bad = CONTROL.search(parts.block)
    if bad:
        line = parts.block_line + parts.block[: bad.start()].count("\n")
        raise refuse(
            source,
            "control_character",
            f"The frontmatter holds the control character U+{ord(bad[0]):04X} in line {line}.",
            "Delete it.",
            line,
        )
    fields: Json
    issues: tuple[LoadIssue, ...] = ()
    if parts.syntax == "toml":
        fields = read_toml(parts.block, line=parts.block_line, source=source)
    else:
        fields, issues = read_yaml(parts.block, line=parts.block_line, source=source)
    if fields is None:
        fields = {}
    if not isinstance(fields, dict):
        return _all_body(text, source, "letterhead")
    body, warning = _clean(parts.body, source, parts.body_line)
    return Frontmatter(
        fields=fields, body=body, body_line=parts.body_line, issues=(*issues, *warning)
    )


def _all_body(text: str, source: str, why: str | None) -> Frontmatter:
    body, warning = _clean(text, source, 1)
    if why == "unclosed":
        warning += (
            warn(
                source,
                "unclosed_frontmatter",
                "The frontmatter is opened and never closed, so it was read as text.",
                "Add a line --- below its last key.",
                1,
            ),
        )
    elif why == "letterhead":
        warning += (
            warn(
                source,
                "not_frontmatter",
                "The text between the first two rules was read as text: its first line is no key.",
                "If it is frontmatter, let it begin with a line like title: Name.",
                1,
            ),
        )
    return Frontmatter(fields={}, body=body, body_line=1, issues=warning)


def _clean(body: str, source: str, body_line: int) -> tuple[str, tuple[LoadIssue, ...]]:
    bad = CONTROL.search(body)
    if not bad:
        return body, ()
    line = body_line + body[: bad.start()].count("\n")
    message = f"Control characters were left out, the first is U+{ord(bad[0]):04X} in line {line}."
    return without_controls(body), (
        warn(source, "control_character", message, "Delete them.", line),
    )


def _split(text: str) -> _Parts | str | None:
    """The parts, or `unclosed` or `letterhead` for a text that only seems to have some."""
    start = _fence_offset(text)
    lines = text[start:].split("\n")
    opened = _OPEN.fullmatch(lines[0])
    if not opened:
        return None
    syntax: Literal["yaml", "toml"] = "toml" if opened["toml"] else "yaml"
    closing = next((n for n in range(1, len(lines)) if _CLOSE[syntax].fullmatch(lines[n])), None)
    block_lines = lines[1:closing]
    inside = [line for line in block_lines if line.strip() and not line.lstrip().startswith("#")]
    is_key = re.compile(r"[^=]+=|\[").match if syntax == "toml" else _KEY.match
    looks_like_keys = bool(inside) and is_key(inside[0]) is not None
    if closing is None:
        return "unclosed" if looks_like_keys else None
    if not looks_like_keys and any(line.strip() for line in block_lines):
        almost = any(is_key(line) or _ALMOST_KEY.match(line) for line in inside)
        return "letterhead" if almost else None
    block_line = text[:start].count("\n") + 2
    return _Parts(
        syntax=syntax,
        block="\n".join(block_lines) + "\n",
        block_line=block_line,
        body="\n".join(lines[closing + 1 :]),
        body_line=block_line + closing,
    )


def _fence_offset(text: str) -> int:
    """Where the first line begins that is neither blank nor an HTML comment."""
    at = 0
    while True:
        behind = at
        if text.startswith("<!--", at):
            behind = text.find("-->", at) + 3
            if behind < at + 7:
                return at
        end = text.find("\n", behind)
        if end < 0 or text[behind:end].strip():
            return at
        at = end + 1
