"""Rules about single notes and their text: category, title, body, fences, links."""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from posixpath import dirname, join, normpath
from urllib.parse import unquote

from retrieval.knowledge.lint.rule import Finding, Notes
from retrieval.text import fold, term_key

_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})(?P<info>.*)")
_CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_LINK = re.compile(r"\]\(\s*(?:<(?P<angled>[^<>]*)>|(?P<plain>[^\s()<>]+))[^()]*\)")
_DEFINITION = re.compile(r" {0,3}\[[^\]^][^\]]*\]:\s*(?:<(?P<angled>[^<>]*)>|(?P<plain>\S+))")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")
_NOTE_SUFFIXES = (".md", ".markdown", ".mdx")


def find_missing_categories(notes: Notes) -> Iterator[Finding]:
    """Notes that no category filter can find."""
    for entry in notes.knowledge.entries:
        if not entry.categories:
            yield Finding(
                rule="missing_category",
                severity="warning",
                source=entry.source,
                message="The note has no category.",
                next_action="Add category: or put it into a folder.",
            )


def find_category_spellings(notes: Notes) -> Iterator[Finding]:
    """Categories that differ from a more frequent one only in spelling."""
    spellings: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for entry in notes.knowledge.entries:
        for category in entry.categories:
            spellings[term_key(category)][category] += 1
    for entry in notes.knowledge.entries:
        for category in entry.categories:
            usual, times = spellings[term_key(category)].most_common(1)[0]
            if category != usual:
                yield Finding(
                    rule="category_spelling",
                    severity="warning",
                    source=entry.source,
                    message=f"The category '{category}' is mostly spelled '{usual}' "
                    f"({times} {'note' if times == 1 else 'notes'}).",
                    next_action=f"Write category: {usual}",
                    data={"category": category, "usual": usual},
                )


def find_empty_notes(notes: Notes) -> Iterator[Finding]:
    """Notes without a word below their headings: they can be found, and answer nothing."""
    for entry in notes.knowledge.entries:
        body = (
            line
            for passage in entry.passages
            for line in passage.text.splitlines()
            # A note without a body has one passage, its title.
            if not line.lstrip().startswith("#") and line.strip() != entry.title
        )
        if not any(char.isalnum() for line in body for char in line):
            yield Finding(
                rule="empty_note",
                severity="warning",
                source=entry.source,
                message="The note has no text below its headings.",
                next_action="Write it, or delete the file.",
            )


def find_repeated_titles(notes: Notes) -> Iterator[Finding]:
    """Notes that have the same title: an answer cannot tell them apart."""
    same: dict[str, list[str]] = defaultdict(list)
    for entry in notes.knowledge.entries:
        same[fold(entry.title)].append(entry.source)
    for entry in notes.knowledge.entries:
        first, *others = same[fold(entry.title)]
        if entry.source in others:
            yield Finding(
                rule="duplicate_title",
                severity="warning",
                source=entry.source,
                message=f"The title '{entry.title}' is that of {first} too.",
                next_action="Say in the title what only this note is about.",
                data={"title": entry.title, "sources": [first, *others]},
            )


def find_unclosed_fences(notes: Notes) -> Iterator[Finding]:
    """Code fences that nothing closes: headings behind them are code."""
    for source, text in notes.texts.items():
        opened, _ = _fences(text)
        if opened:
            yield Finding(
                rule="unclosed_fence",
                severity="warning",
                source=source,
                line=opened,
                message="The code fence is opened and never closed, so all that follows is code.",
                next_action="Close it with a line of the same marks.",
            )


def find_broken_links(notes: Notes) -> Iterator[Finding]:
    """Relative links to a note that does not exist."""
    known = {entry.source for entry in notes.knowledge.entries}
    root = notes.knowledge.root
    for source, text in notes.texts.items():
        _, code = _fences(text)
        for number, line in enumerate(text.split("\n"), 1):
            if "]" not in line or number in code:
                continue
            for target in _targets(line):
                path = _resolve(source, target)
                if path is None or path in known:
                    continue
                outside = path.startswith("../")
                if not outside and os.path.exists(root / path):
                    continue
                where = "leads out of the knowledge root" if outside else "leads nowhere"
                yield Finding(
                    rule="broken_link",
                    severity="warning",
                    source=source,
                    line=number,
                    message=f"The link to '{target}' {where}.",
                    next_action="Correct the path, or delete the link.",
                    data={"target": target, "path": path},
                )


def _targets(line: str) -> Iterator[str]:
    line = _CODE_SPAN.sub("", line)
    definition = _DEFINITION.match(line)
    for found in (*((definition,) if definition else ()), *_LINK.finditer(line)):
        yield found["angled"] or found["plain"] or ""


def _resolve(source: str, target: str) -> str | None:
    """The path below the root that a link means; None for a link that is not to a note."""
    if _SCHEME.match(target):
        return None
    path = unquote(target.split("#", 1)[0].split("?", 1)[0])
    if not path.casefold().endswith(_NOTE_SUFFIXES):
        return None
    if path.startswith("/"):
        return normpath(path.lstrip("/"))
    return normpath(join(dirname(source), path))


def _fences(text: str) -> tuple[int | None, set[int]]:
    """The line of a fence that is left open, and the lines inside fences, all 1-based."""
    opened: tuple[int, str] | None = None
    inside: set[int] = set()
    for number, line in enumerate(text.split("\n"), 1):
        fence = _FENCE.fullmatch(line)
        if opened is not None:
            inside.add(number)
            mark = opened[1]
            closes = fence and fence["mark"].startswith(mark) and not fence["info"].strip()
            if closes:
                opened = None
        elif fence and not (fence["mark"][0] == "`" and "`" in fence["info"]):
            opened = (number, fence["mark"])
            inside.add(number)
    return (opened[0] if opened else None), inside
