"""What labelled notes held, so that a note is known again under another name.

`sources.json` beside `cases.jsonl` keeps for each labelled source the digest of its file, the
digest of its words without frontmatter, and a sketch of them. Losing it costs renames only: they
are then found while the index still knows the old name.
"""

import hashlib
import heapq
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from eval_sets.errors import Problem, SetError
from retrieval.atomic import write_atomic
from retrieval.errors import KnowledgeError
from retrieval.knowledge import read_frontmatter
from retrieval.knowledge.decoding import decode
from retrieval.settings import load_settings
from retrieval.text import tokens
from retrieval.types import Entry

FILE = "sources.json"
SHINGLE = 3
SKETCH = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteContent:
    """What a note holds, in short."""

    file: str
    """sha256 of the bytes."""
    words: str
    """sha256 of the folded words without frontmatter; empty when only passages are known."""
    sketch: tuple[int, ...]
    """The smallest hashes of its runs of three words, sorted."""


def content_of(data: bytes, source: str) -> NoteContent:
    """The content of a note's file; one whose frontmatter cannot be read is words throughout."""
    try:
        text = decode(data, source)
        body = read_frontmatter(text, source).body
    except KnowledgeError:
        body = data.decode("utf-8", "replace")
    words = [token.text for token in tokens(body)]
    return NoteContent(
        file=hashlib.sha256(data).hexdigest(),
        words=hashlib.sha256(" ".join(words).encode()).hexdigest(),
        sketch=_sketch(words),
    )


def content_of_entry(entry: Entry) -> NoteContent:
    """The content of a note as far as the index keeps it."""
    words = [token.text for passage in entry.passages for token in tokens(passage.text)]
    return NoteContent(file=entry.content_hash, words="", sketch=_sketch(words))


def likeness(a: NoteContent, b: NoteContent) -> float:
    """How alike two notes are, 0..1: 1 for the same file or words, else shared runs of words.

    An estimate of the Jaccard index of their runs of three words from the smallest hashes of both
    (Broder 1997, "On the resemblance and containment of documents"). Empty notes are alike only
    when their files are equal.
    """
    if a.file == b.file or (a.sketch and a.words and a.words == b.words):
        return 1.0
    union = sorted({*a.sketch, *b.sketch})[:SKETCH]
    shared = set(a.sketch) & set(b.sketch)
    return sum(value in shared for value in union) / len(union) if union else 0.0


def read_contents(knowledge_base: Path, sources: Iterable[str]) -> dict[str, NoteContent]:
    """The contents of those of the sources that can be read."""
    root = load_settings(knowledge_base)[1].root
    found = {}
    for source in sources:
        try:
            found[source] = content_of((root / source).read_bytes(), source)
        except OSError:
            continue
    return found


def recall(folder: Path) -> dict[str, NoteContent]:
    """What `remember` kept; empty when there is nothing. Raises `SetError` for another file."""
    try:
        return _CONTENTS.validate_json((folder / FILE).read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValidationError) as error:
        message = f"cannot be read: {str(error).splitlines()[0]}"
        raise SetError(str(folder), [Problem(file=FILE, message=message)]) from None


def remember(folder: Path, contents: Mapping[str, NoteContent]) -> None:
    """Keeps these contents, one source a line, in the place of all that was kept before."""
    lines = [
        f"{json.dumps(source, ensure_ascii=False)}: {json.dumps(asdict(content))}"
        for source, content in sorted(contents.items())
    ]
    write_atomic(folder / FILE, "{\n" + ",\n".join(lines) + "\n}\n")


def _sketch(words: list[str]) -> tuple[int, ...]:
    runs = {" ".join(words[at : at + SHINGLE]) for at in range(max(1, len(words) - SHINGLE + 1))}
    hashes = (hashlib.blake2b(run.encode(), digest_size=6).digest() for run in runs if run)
    return tuple(heapq.nsmallest(SKETCH, (int.from_bytes(digest) for digest in hashes)))


_CONTENTS = TypeAdapter(dict[str, NoteContent])
