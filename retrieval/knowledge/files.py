"""The text of one note, for a reader who knows its source."""

import difflib
import unicodedata
from pathlib import Path

from retrieval.errors import InvalidInput, UnknownSource
from retrieval.knowledge.decoding import decode, without_controls
from retrieval.knowledge.refusal import refuse
from retrieval.knowledge.walking import Found, walk
from retrieval.settings import KnowledgeSettings


def read_note(
    root: Path,
    source: str,
    lines: tuple[int, int] | None = None,
    settings: KnowledgeSettings | None = None,
) -> str:
    """The whole note, frontmatter included, or its lines from the first to the last of `lines`.

    Lines count from 1; the last may lie behind the end. Line ends are `\\n`.

    Raises `UnknownSource` for anything that is not a note of this root: a path that leaves it, an
    absolute path, another spelling. Raises `InvalidInput` for lines that the note does not have,
    and `NoteRefused` when the file cannot be read.
    """
    # Only what a walk finds is a note, so no spelling of a path can lead elsewhere.
    notes = {
        found.source: found.path
        for found in walk(root, settings or KnowledgeSettings())
        if isinstance(found, Found)
    }
    path = notes.get(unicodedata.normalize("NFC", source))
    if path is None:
        close = difflib.get_close_matches(source[:200], notes, n=3, cutoff=0.5)
        raise UnknownSource(
            f"There is no note '{source}' in this knowledge base.",
            next_action=f"Closest: {', '.join(close)}."
            if close
            else "Sources are paths below the root, such as billing/refunds.md.",
        )
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise refuse(
            source,
            "unreadable",
            f"It cannot be read: {error.strerror or error}.",
            "Correct its permission.",
        ) from error
    text = without_controls(decode(data, source))
    return text if lines is None else cut_lines(text, source, lines)


def cut_lines(text: str, source: str, lines: tuple[int, int]) -> str:
    """The lines of a note's text from the first to the last of `lines`, as `read_note` counts."""
    first, last = lines
    every = text.removesuffix("\n").split("\n")
    if not 1 <= first <= min(last, len(every)):
        raise InvalidInput(
            f"Lines {first} to {last} are not in '{source}', which has {len(every)}.",
            next_action="Lines count from 1, the first before the last.",
        )
    return "\n".join(every[first - 1 : last])
