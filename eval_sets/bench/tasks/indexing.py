"""One tool indexes the notes; the model embeds the same passages and does nothing else."""

import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eval_sets.bench.model import WINDOW, ModelName, open_model, read_characters
from eval_sets.bench.notes import Note, load_notes
from eval_sets.bench.peers import OURS, Chunk, Peer, find_peer, open_peer

# Two, since a model may run one text in another way than several.
_WARM_UP = {
    "first.md": "# Warming up\n\nOne short note, so that everything is loaded.\n",
    "second.md": "# Once more\n\nAnother one, before the clock runs.\n",
}


def index(peer: str, root: str, notes: str, folder: str) -> dict[str, Any]:
    """`seconds` of indexing, `processor_seconds` of all threads, `chunks` and `read_share`.

    Imports, the opening of the model, and for the peers the reading of the files lie before. The
    share is of the notes' characters that stand in a chunk and that the model read of it, blanks
    left out; 1.0 for a tool that embeds nothing.
    """
    given = load_notes(Path(notes))
    tool = warmed_up(peer, Path(folder))
    clock = _Clock()
    tool.index(Path(root), given)
    times = clock.read()
    chunks = tool.chunks()
    tool.close()
    own = peer == OURS  # its texts are cut to fit with what is put before them
    share = read_share(given, chunks, cut=not own) if chunks else 1.0
    return {**times, "chunks": len(chunks), "read_share": round(share, 4)}


def embed(root: str) -> dict[str, Any]:
    """As `index`, for the model alone: it embeds the passages of the notes in the batches of an
    index run, and nothing else is done."""
    from retrieval.knowledge import embedding_text, load_knowledge
    from retrieval.semantic.bundled import count_tokens
    from retrieval.semantic.models import BATCH
    from retrieval.settings import KnowledgeSettings

    knowledge = load_knowledge(Path(root), KnowledgeSettings(), window=WINDOW, measure=count_tokens)
    texts = list(
        dict.fromkeys(
            embedding_text(entry.title, passage)
            for entry in knowledge.entries
            for passage in entry.passages
        )
    )
    encode = open_model("ours")
    encode(list(_WARM_UP.values()))
    clock = _Clock()
    for start in range(0, len(texts), BATCH):
        encode(texts[start : start + BATCH])
    return {**clock.read(), "chunks": len(texts), "read_share": 1.0}


class _Clock:
    """Runs from when it is made."""

    def __init__(self) -> None:
        self._wall, self._processor = time.perf_counter(), time.process_time()

    def read(self) -> dict[str, float]:
        """Seconds on the wall, and seconds of processor time of all threads."""
        return {
            "seconds": time.perf_counter() - self._wall,
            "processor_seconds": time.process_time() - self._processor,
        }


def warmed_up(peer: str, folder: Path) -> Peer:
    """The tool with an empty index, after one like it has indexed notes and answered a query."""
    info = find_peer(peer)
    model: ModelName | None = None if peer == OURS else info.model
    encode = open_model(model) if model else None
    for name in ("warm-up", "index"):
        (folder / name).mkdir(parents=True)
    root = folder / "warm-up-notes"
    root.mkdir()
    for source, text in _WARM_UP.items():
        (root / source).write_text(text, encoding="utf-8")
    first = open_peer(info, folder / "warm-up", encode)
    first.index(root, [Note(source=s, text=text, category="") for s, text in _WARM_UP.items()])
    first.search("warming", 1)
    first.close()
    return open_peer(info, folder / "index", encode)


def read_share(notes: Sequence[Note], chunks: Sequence[Chunk], *, cut: bool) -> float:
    """The share of the notes' characters, blanks left out, that the model read in some chunk.

    With `cut` only what lies within the model's window counts of a chunk. A chunk that is not
    found in its note as it stands counts with its length.
    """
    read = read_characters([text for _, text in chunks]) if cut else [len(t) for _, t in chunks]
    by_source: defaultdict[str, list[str]] = defaultdict(list)
    for (source, text), length in zip(chunks, read, strict=True):
        by_source[source].append("".join(text[:length].split()))
    seen = total = 0
    for note in notes:
        body = "".join(note.text.split())
        total += len(body)
        seen += _covered(body, by_source[note.source])
    return seen / total if total else 1.0


def _covered(body: str, pieces: Sequence[str]) -> int:
    covered = bytearray(len(body))
    unplaced = 0
    before = 0
    for piece in pieces:
        place = body.find(piece, before)
        if place < 0:
            place = body.find(piece)
        if place < 0:
            unplaced += len(piece)
            continue
        covered[place : place + len(piece)] = b"\1" * len(piece)
        before = place  # a chunk may begin within the one before
    return min(len(body), covered.count(1) + unplaced)
