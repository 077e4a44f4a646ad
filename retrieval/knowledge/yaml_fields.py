"""YAML frontmatter as text: every scalar stays as its author wrote it.

Built from the parser's events rather than by a loader. No resolver turns `no` into False, `12:30`
into 750 or a date into an object; no constructor runs; nesting and aliases stay bounded; and each
value's line is known while it is read.
"""

import re
from dataclasses import dataclass
from typing import Any

import yaml

from retrieval.knowledge.decoding import without_controls
from retrieval.knowledge.refusal import refuse, warn
from retrieval.knowledge.yaml_errors import PLACEHOLDER, PLACEHOLDER_ADVICE, yaml_refusal
from retrieval.types import Json, LoadIssue

_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
MAX_DEPTH = 50
"""How many lists and mappings may stand in each other, the frontmatter itself included."""
_MAX_ALIASED = 10_000
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_CORE_TAGS = frozenset(
    f"tag:yaml.org,2002:{name}"
    for name in ("str", "int", "float", "bool", "null", "timestamp", "seq", "map")
)
# YAML ends a line at these, no editor does: the lines it tells would not be those of the file.
_NO_LINE_ENDS = str.maketrans("\u2028\u2029", "  ")
_WHOLE_PLACEHOLDER = re.compile(r"\s*(?:\{\{.*\}\}|<%.*%>)\s*", re.DOTALL)
_HASH_TAG = re.compile(r"\s+#(?=\w)")


@dataclass(slots=True)
class _Frame:
    """A collection under construction."""

    value: dict[str, Json] | list[Json]
    anchor: str | None
    line: int
    nodes_before: int
    flow: bool
    key: str | None = None
    key_line: int = 0


def read_yaml(block: str, *, line: int, source: str) -> tuple[Json, tuple[LoadIssue, ...]]:
    """The block's value with text scalars, and what a curator should know about it.

    Plain empty, `~` and `null` scalars are None. `line` is the line of the file on which the block
    begins. Of a key that stands twice both values are kept.

    Raises `NoteRefused` for what is not YAML, for tags beyond the plain types, and for aliases
    that expand without bound.
    """
    block = block.translate(_NO_LINE_ENDS)
    reader = _Reader(block, line, source)
    try:
        for event in yaml.parse(block, Loader=_LOADER):
            reader.take(event)
    except yaml.YAMLError as error:
        raise yaml_refusal(error, block, line=line, source=source) from None
    return reader.root, tuple(reader.issues)


class _Reader:
    def __init__(self, block: str, line: int, source: str) -> None:
        self._lines = block.split("\n")
        self._first = line
        self._source = source
        self._stack: list[_Frame] = []
        self._anchors: dict[str, tuple[Json, int]] = {}
        self._nodes = 0
        self._aliased = 0
        self.root: Json = None
        self.issues: list[LoadIssue] = []

    def take(self, event: Any) -> None:
        line = self._first + event.start_mark.line
        if isinstance(event, yaml.AliasEvent):
            self._place(self._alias(event.anchor, line), line)
        elif isinstance(event, yaml.ScalarEvent):
            self._check_tag(event.tag, line)
            value = self._scalar(event, line)
            self._nodes += 1
            self._place(value, line)
            if event.anchor:
                self._anchors[event.anchor] = (value, 1)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._check_tag(event.tag, line)
            if len(self._stack) >= MAX_DEPTH:
                raise self._refuse("yaml", f"The frontmatter nests too deeply in line {line}", line)
            self._nodes += 1
            empty: dict[str, Json] | list[Json]
            empty = {} if isinstance(event, yaml.MappingStartEvent) else []
            flow = bool(event.flow_style)
            self._stack.append(_Frame(empty, event.anchor, line, self._nodes, flow))
        elif isinstance(event, yaml.CollectionEndEvent):
            self._close(self._stack.pop())

    def _close(self, frame: _Frame) -> None:
        value: Json = frame.value
        nested = self._stack and self._stack[-1].flow and isinstance(self._stack[-1].value, list)
        if nested and frame.flow and isinstance(value, list) and len(value) == 1:
            value = value[0]  # the inner list of a wiki link: `[[Page]]`
        if frame.anchor:
            self._anchors[frame.anchor] = (value, self._nodes - frame.nodes_before + 1)
        self._place(value, frame.line)

    def _place(self, value: Json, line: int) -> None:
        if not self._stack:
            self.root = value
            return
        frame = self._stack[-1]
        if isinstance(frame.value, list):
            frame.value.append(value)
        elif frame.key is None:
            if isinstance(value, (dict, list)):
                raise self._complex_key(line)
            frame.key, frame.key_line = value or "", line
        else:
            key, frame.key = frame.key, None
            if key in frame.value:
                self._warn(
                    "duplicate_key",
                    f"The key '{key}' stands twice, again in line {frame.key_line}; "
                    "the values of both are kept.",
                    "Write it once.",
                    frame.key_line,
                )
                value = [*_as_list(frame.value[key]), *_as_list(value)]
            frame.value[key] = value

    def _scalar(self, event: Any, line: int) -> str | None:
        text = without_controls(event.value)  # "\\0" in double quotes is one
        plain = not event.style
        end = event.end_mark
        rest = self._lines[end.line][end.column :] if end.line < len(self._lines) else ""
        if plain and _HASH_TAG.match(rest):
            self._warn(
                "dropped_comment",
                f"Under '{self._top_key()}' the text '{rest.strip()}' was dropped: "
                "behind a blank, # begins a comment.",
                "Leave out the # or put the value in quotes.",
                line,
            )
        if _WHOLE_PLACEHOLDER.fullmatch(text):
            self._warn(
                "placeholder",
                f"The value of '{self._top_key()}' is the template placeholder {text.strip()}.",
                PLACEHOLDER_ADVICE,
                line,
            )
        return None if plain and text in _NULLS else text

    def _alias(self, anchor: str | None, line: int) -> Json:
        if anchor is None or anchor not in self._anchors:
            raise self._refuse(
                "yaml", f"The alias *{anchor} in line {line} refers to nothing before it", line
            )
        value, nodes = self._anchors[anchor]
        self._nodes += nodes
        self._aliased += nodes
        if self._aliased > _MAX_ALIASED:
            raise self._refuse(
                "alias_bomb",
                f"The aliases up to line {line} expand to more than {_MAX_ALIASED} values",
                line,
            )
        return value

    def _check_tag(self, tag: str | None, line: int) -> None:
        if tag not in (None, "!") and tag not in _CORE_TAGS:
            raise self._refuse("yaml_tag", f"The YAML tag {tag} in line {line} is not read", line)

    def _complex_key(self, line: int) -> Exception:
        text = self._lines[line - self._first] if line - self._first < len(self._lines) else ""
        if PLACEHOLDER.search(text):
            return refuse(
                self._source,
                "placeholder",
                f"Line {line} of the frontmatter holds an unfilled template placeholder: "
                f"{text.strip()}",
                PLACEHOLDER_ADVICE,
                line,
            )
        return self._refuse("yaml", f"A key in line {line} is a list or a mapping", line)

    def _refuse(self, code: str, message: str, line: int) -> Exception:
        todo = "Put the value in quotes, or write it as plain text."
        return refuse(self._source, code, message + ".", todo, line)

    def _warn(self, code: str, message: str, next_action: str, line: int) -> None:
        self.issues.append(warn(self._source, code, message, next_action, line))

    def _top_key(self) -> str:
        return (self._stack[0].key or "") if self._stack else ""


def _as_list(value: Json) -> list[Json]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
