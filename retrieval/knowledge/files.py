"""The text of one note, for a reader who knows its source."""

import difflib
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path

from retrieval.errors import InvalidInput, UnknownSource
from retrieval.knowledge.decoding import decode, without_controls
from retrieval.knowledge.refusal import refuse
from retrieval.knowledge.walking import Found, walk
from retrieval.settings import KnowledgeSettings

NEAR = 3
ALIKE = 0.6
"""Least share of common characters (`difflib`) of a file name that is offered for another."""
LONGEST_NAME = 200
_WORD = re.compile(r"[^\W_]+")


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
        raise UnknownSource(
            f"There is no note '{source}' in this knowledge base.",
            next_action=offer_sources(source, notes)
            if notes
            else "This knowledge base has no notes; check the folder and `knowledge.include`.",
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


def near_sources(source: str, known: Iterable[str]) -> list[str]:
    """At most three of the known sources whose file name is like the asked one, best first.

    Alike are names that hold all its words, then names with most characters in common. Folders do
    not count: two notes of one folder are not alike for that.
    """
    asked = _stem(source[:LONGEST_NAME])
    if not (words := set(_WORD.findall(asked))):
        return []
    stems: dict[str, list[str]] = {}
    for name in known:
        stems.setdefault(_stem(name), []).append(name)
    holding = [stem for stem in stems if words <= set(_WORD.findall(stem))]
    alike = difflib.get_close_matches(asked, stems, n=NEAR, cutoff=ALIKE)
    found = dict.fromkeys([*(s for s in alike if s in holding), *holding, *alike])
    return [name for stem in found for name in stems[stem]][:NEAR]


def offer_sources(source: str, known: Iterable[str]) -> str:
    """What to try for a source that is none of the known: near ones, else how a source looks."""
    names = sorted(known)
    if close := near_sources(source, names):
        return f"Closest: {', '.join(close)}."
    example = names[0] if names else "billing/refunds.md"
    return f"Sources are paths below the root, such as {example}."


def _stem(source: str) -> str:
    name = unicodedata.normalize("NFC", source).replace("\\", "/").rstrip("/").rpartition("/")[2]
    stem, dot, _ = name.rpartition(".")
    return (stem if dot else name).casefold()


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
