"""The notes that all tools get: the same files, and for those that take texts, the same texts."""

import hashlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from retrieval.errors import InvalidInput
from retrieval.knowledge import load_knowledge, read_frontmatter, read_note, scan
from retrieval.settings import KnowledgeSettings

KNOWLEDGE = "knowledge"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A note as a tool that takes texts gets it."""

    source: str
    text: str
    """The note without its frontmatter."""
    category: str


def find_corpora(data: Path) -> dict[str, Path]:
    """Name → the folder of its notes, for every folder of `data` that has notes.

    Raises `InvalidInput` when there is none.
    """
    found = {p.parent.name: p for p in sorted(data.glob(f"*/{KNOWLEDGE}")) if p.is_dir()}
    if not found:
        raise InvalidInput(
            f"There are no notes in {data}: no folder {data / '*' / KNOWLEDGE}.",
            next_action="Name the folder that holds one folder for each set, with --data.",
        )
    return found


def copy_part(root: Path, target: Path, megabytes: float) -> int:
    """Copies files until they hold so many megabytes, or all of them; gets their bytes.

    They are taken in the order of a digest of their paths, so that each run takes the same ones,
    and from all over the folder.
    """
    wanted = megabytes * 1e6
    sources = sorted(scan(root, KnowledgeSettings()), key=_digest)
    copied = 0
    for source in sources:
        if copied >= wanted:
            break
        size = (root / source).stat().st_size
        (target / source).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / source, target / source)
        copied += size
    return copied


def read_notes(root: Path) -> tuple[Note, ...]:
    """Every note below `root` that can be read, by source."""
    settings = KnowledgeSettings()
    # How passages are cut does not matter: only what the notes are and say is kept.
    knowledge = load_knowledge(root, settings, window=256, measure=len)
    return tuple(
        Note(
            source=entry.source,
            text=read_frontmatter(read_note(root, entry.source), entry.source).body,
            category=entry.category or "",
        )
        for entry in knowledge.entries
    )


def save_notes(notes: Sequence[Note], path: Path) -> None:
    """Writes the notes as JSON, for a process of its own."""
    path.write_text(json.dumps([asdict(note) for note in notes]), encoding="utf-8")


def load_notes(path: Path) -> tuple[Note, ...]:
    """The notes that `save_notes` wrote."""
    return tuple(Note(**row) for row in json.loads(path.read_text(encoding="utf-8")))


def _digest(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()
