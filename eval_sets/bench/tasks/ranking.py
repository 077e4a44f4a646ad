"""One tool ranks notes for queries."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eval_sets.bench.notes import load_notes
from eval_sets.bench.tasks.indexing import warmed_up


def rank(
    *,
    peer: str,
    root: str,
    notes: str,
    folder: str,
    queries: Sequence[str],
    limits: Sequence[int],
) -> dict[str, Any]:
    """A ranking of sources for each query, from an index of the notes made for it. `limits` are
    how many results (notes of ours, chunks of a peer) each query asks for."""
    tool = warmed_up(peer, Path(folder))
    tool.index(Path(root), load_notes(Path(notes)))
    rankings = [tool.search(query, limit) for query, limit in zip(queries, limits, strict=True)]
    tool.close()
    return {"rankings": rankings}
