"""Which notes are indexed: a part of a real set, or else the bundled handbook."""

from dataclasses import dataclass
from pathlib import Path

from eval_sets.bench.notes import copy_part, find_corpora
from eval_sets.bench.types import Plan
from retrieval.types import Json

PREFERRED = "opensearch"
"""The set whose notes are indexed where the data has it; else the one with most text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Notes in a folder of their own."""

    name: str
    root: Path
    size: int
    """Bytes."""
    note: str | None = None
    """What a reader has to know about them."""

    def as_json(self) -> dict[str, Json]:
        """Name, bytes and note."""
        return {"name": self.name, "bytes": self.size, "note": self.note}


def indexed_corpus(plan: Plan, target: Path) -> Corpus:
    """A copy of as many megabytes of notes as the plan wants, in the folder `target`.

    Raises `InvalidInput` when `data` is given and has no notes.
    """
    if plan.data is None:
        from eval_sets.sets import starter

        size = copy_part(starter(), target, plan.megabytes)
        note = "Without --data the bundled handbook stands in for real notes."
        return Corpus(name="starter", root=target, size=size, note=note)
    roots = find_corpora(plan.data)
    name = PREFERRED if PREFERRED in roots else max(roots, key=lambda one: notes_size(roots[one]))
    return Corpus(name=name, root=target, size=copy_part(roots[name], target, plan.megabytes))


def notes_size(root: Path) -> int:
    """Bytes of all markdown files below the folder."""
    return sum(path.stat().st_size for path in root.rglob("*.md"))
