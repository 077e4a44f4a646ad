"""The notes themselves, within a scope and a budget: what `get_knowledge` and resources serve."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from typing_extensions import TypedDict

from retrieval.budget import estimate_tokens
from retrieval.contract import ErrorDict
from retrieval.errors import RetrievalError, UnknownSource
from retrieval.filtering import admits
from retrieval.knowledge import NoteRefused, cut_lines, near_sources, read_entry
from retrieval.scope import visible
from retrieval.serialize import error_to_dict
from retrieval.suspicion import reads_like_instructions
from retrieval.types import SCHEMA_VERSION, Condition, Entry, ErrorInfo

if TYPE_CHECKING:
    from retrieval.knowledge_base import KnowledgeBase

NOTE_BUDGET = 8000
"""Tokens of a note's text where the call states no budget."""
LAST_LINE = 2**31 - 1


class NoteDict(TypedDict):
    """Lines of a note. `error` is set, and there is no text, when they cannot be had."""

    schema_version: str
    source: str
    title: str | None
    line_start: int | None
    line_end: int | None
    line_count: int | None
    """Lines of the whole note."""
    content: str
    next_line: int | None
    """Where to go on when the budget cut the text; None when it did not."""
    error: ErrorDict | None


def list_notes(kb: "KnowledgeBase", scope: Sequence[Condition]) -> tuple[Entry, ...]:
    """The notes that the scope admits, by source."""
    return visible(kb.entries, scope)


def read_text(kb: "KnowledgeBase", source: str, scope: Sequence[Condition]) -> str:
    """The note as it is on disk now.

    Raises `UnknownSource` for what is no note, and in the same words for a note that the scope
    does not admit, judged by the frontmatter of this very text.
    """
    try:
        text = kb.get(source)
        if scope and not admits(_parse(kb, source, text), scope):
            raise UnknownSource("outside", next_action="")
    except (UnknownSource, NoteRefused) as error:
        if isinstance(error, NoteRefused) and not scope:
            raise
        raise _unknown(source, [entry.source for entry in list_notes(kb, scope)]) from None
    return text


def read_lines(
    kb: "KnowledgeBase",
    source: str,
    scope: Sequence[Condition] = (),
    *,
    first: int = 1,
    last: int | None = None,
    budget: int | None = None,
) -> NoteDict:
    """Lines of a note, as many as the budget holds; both ends count from 1 and are included.

    A first line that is longer than the budget is cut. Raises `UnknownSource`, `NoteRefused`, and
    `InvalidInput` for lines that the note does not have.
    """
    text = read_text(kb, source, scope)
    lines = cut_lines(text, source, (first, LAST_LINE if last is None else last)).split("\n")
    shown, left = list[str](), budget or NOTE_BUDGET
    for line in lines:
        left -= estimate_tokens(f"{line}\n")
        if left < 0:
            break
        shown.append(line)
    is_cut = len(shown) < len(lines)
    if not shown:
        shown = [lines[0][: budget or NOTE_BUDGET]]
    end = first + len(shown) - 1
    titles = {entry.source: entry.title for entry in list_notes(kb, scope)}
    count = text.removesuffix("\n").count("\n") + 1
    return {
        "schema_version": SCHEMA_VERSION,
        "source": source,
        "title": titles.get(source),
        "line_start": first,
        "line_end": end,
        "line_count": count,
        "content": "\n".join(shown),
        "next_line": min(end + 1, count) if is_cut else None,
        "error": None,
    }


def refuse_lines(source: str, error: RetrievalError | ErrorInfo) -> NoteDict:
    """The answer when there is no text to give."""
    info = error if isinstance(error, ErrorInfo) else error.info()
    return {
        "schema_version": SCHEMA_VERSION,
        "source": source,
        "title": None,
        "line_start": None,
        "line_end": None,
        "line_count": None,
        "content": "",
        "next_line": None,
        "error": error_to_dict(info),
    }


def _parse(kb: "KnowledgeBase", source: str, text: str) -> Entry:
    settings = kb.settings
    window = settings.embedding.window
    entry, _ = read_entry(
        source, text.encode(), settings.knowledge, window=window, measure=lambda t: len(t.split())
    )
    return entry


def _unknown(source: str, known: Sequence[str]) -> UnknownSource:
    close = [name for name in near_sources(source, known) if not reads_like_instructions(name)]
    return UnknownSource(
        f"There is no note '{source[:200]}' in this knowledge base.",
        next_action=f"Closest: {', '.join(close)}."
        if close
        else "Take a source as answers of lookup_knowledge name it.",
    )
