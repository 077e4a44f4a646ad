"""Reading one note given as text, for the tests of this folder."""

from pathlib import Path

from retrieval.knowledge import Knowledge, load_knowledge, read_entry
from retrieval.knowledge.refusal import NoteRefused
from retrieval.settings import KnowledgeSettings
from retrieval.types import Entry, LoadIssue, Passage


def words(text: str) -> int:
    """The size of a text in words."""
    return len(text.split())


def read(
    note: str | bytes, source: str = "note.md", settings: KnowledgeSettings | None = None
) -> tuple[Entry, list[LoadIssue]]:
    """The entry of a note and its issues."""
    data = note if isinstance(note, bytes) else note.encode()
    entry, issues = read_entry(
        source, data, settings or KnowledgeSettings(), window=256, measure=words
    )
    return entry, list(issues)


def refused(note: str | bytes, source: str = "note.md") -> LoadIssue:
    """The row of a note that is refused."""
    try:
        read(note, source)
    except NoteRefused as error:
        return error.issue
    raise AssertionError("the note was read")


def passages(
    body: str, *, title: str = "Note", window: int = 256, measure: object = words
) -> tuple[Passage, ...]:
    """The passages of a note with this title and body."""
    entry, _ = read_entry(
        "note.md",
        f"---\ntitle: {title}\n---\n{body}".encode(),
        KnowledgeSettings(),
        window=window,
        measure=measure,  # type: ignore[arg-type]
    )
    return entry.passages


def body_of(entry: Entry) -> str:
    """All that can be found in the note's text."""
    return "\n".join(passage.text for passage in entry.passages)


def load(root: Path, settings: KnowledgeSettings | None = None) -> Knowledge:
    """All notes below `root`, in passages of 256 words."""
    return load_knowledge(root, settings or KnowledgeSettings(), window=256, measure=words)


def write(root: Path, **notes: str) -> Path:
    """Writes notes; `a__b` is the file a/b.md."""
    for name, text in notes.items():
        path = root / f"{name.replace('__', '/')}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root
