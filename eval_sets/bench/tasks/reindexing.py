"""One note of many changes, and the index follows."""

import time
from pathlib import Path
from typing import Any

from eval_sets.bench.synthetic import write_corpus
from retrieval.knowledge import embedding_text
from retrieval.knowledge_base import KnowledgeBase

FACTOR, ALLOWANCE = 3, 1.0
"""What a re-index may take: so many times the embedding of what changed, and so many seconds."""


def reindex(passages: int, repeat: int, folder: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Seconds of a full index of synthetic notes with the real model, and of later ones.

    `whole_note`: every passage of one note changed; `one_passage`: one sentence did. Beside each
    stand the seconds in which the model alone embeds what changed. What is loaded once is loaded
    before the clock runs.
    """
    root = Path(folder) / "notes"
    write_corpus(root, passages)
    paths = sorted(root.rglob("*.md"))
    state = {"state_dir": str(Path(folder) / "state"), **settings}
    with KnowledgeBase.open(root, state) as base:
        base.embedder.embed_passages(["Loads the model.", "And its threads."])
        first = base.reindex()
        _append(paths[0], "Loads what a re-index needs.")
        base.reindex()
        whole = [
            _change(base, root, paths[1 + turn % (len(paths) - 1)], f"turn {turn}", whole=True)
            for turn in range(repeat)
        ]
        one = [
            _change(base, root, paths[-1 - turn % (len(paths) - 1)], f"turn {turn}", whole=False)
            for turn in range(repeat)
        ]
    return {
        "passages": first.passages,
        "full_seconds": first.seconds,
        "whole_note": whole,
        "one_passage": one,
    }


def _change(
    base: KnowledgeBase, root: Path, path: Path, mark: str, *, whole: bool
) -> dict[str, float]:
    """Changes the note, indexes, and embeds alone what the index run had to embed."""
    source = path.relative_to(root).as_posix()
    before = _texts(base, source)
    if whole:
        lines = path.read_text(encoding="utf-8").split("\n")
        changed = [f"{line} In {mark}." if line.endswith(".") else line for line in lines]
        path.write_text("\n".join(changed), encoding="utf-8")
    else:
        _append(path, f"What changed in {mark}.")
    started = time.perf_counter()
    report = base.reindex()
    seconds = time.perf_counter() - started
    fresh = [text for text in _texts(base, source) if text not in set(before)]
    if report.embedded != len(fresh) or report.updated != 1:
        raise AssertionError(f"{report.embedded} embedded, {len(fresh)} texts are new")
    started = time.perf_counter()
    base.embedder.embed_passages(fresh)
    return {
        "seconds": seconds,
        "embed_seconds": time.perf_counter() - started,
        "passages": len(fresh),
    }


def _append(path: Path, sentence: str) -> None:
    path.write_text(f"{path.read_text(encoding='utf-8')}\n{sentence}\n", encoding="utf-8")


def _texts(base: KnowledgeBase, source: str) -> list[str]:
    (entry,) = (entry for entry in base.entries if entry.source == source)
    return [embedding_text(entry.title, passage) for passage in entry.passages]
