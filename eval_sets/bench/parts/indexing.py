"""Characters of note text a second: this project, a bare loop of its model, and the peers."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval_sets.bench.child import BenchFailed, measure_apart
from eval_sets.bench.corpora import Corpus, indexed_corpus
from eval_sets.bench.notes import read_notes, save_notes
from eval_sets.bench.peers import OURS, PEERS, find_missing, find_peer, install_line
from eval_sets.bench.types import Plan, Tell, ratios, summarise

BARE = "bare"
MAIN_PEER = "llama-index"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """What one tool did, repetition by repetition."""

    per_second: list[float]
    per_processor_second: list[float]
    peak_mib: list[float]
    chunks: int
    read_share: float


def measure_indexing(plan: Plan, folder: Path, tell: Tell) -> dict[str, Any]:
    """A row for each tool, and ours divided by the others.

    In each repetition all tools index once, one after the other, each in a process of its own. A
    peer that is not installed or that fails is a row that says so. Ratios of processor time stand
    beside those of the wall's: other work on the machine changes them less.
    """
    corpus = indexed_corpus(plan, folder / "notes")
    notes = read_notes(corpus.root)
    save_notes(notes, folder / "notes.json")
    characters = sum(len(note.text) for note in notes)
    wanted, absent = choose_peers(plan.peers)
    found: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    failed: dict[str, str] = {}
    for repetition in range(plan.repeat):
        for key in (OURS, BARE, *wanted):
            if key in failed:
                continue
            tell(f"indexing, {repetition + 1} of {plan.repeat}: {key}")
            try:
                found[key].append(_measure(key, corpus, folder, repetition))
            except BenchFailed as error:
                if key not in PEERS:
                    raise
                failed[key] = error.message
    rows = {key: _row(one, characters) for key, one in found.items() if key not in failed}
    return {
        "corpus": corpus.as_json() | {"notes": len(notes), "characters": characters},
        "rows": [_as_json(key, rows[key]) for key in rows]
        + [absent_row(key, reason) for key, reason in (absent | failed).items()],
        "ratios": _compare(rows, lambda row: row.per_second),
        "processor_ratios": _compare(rows, lambda row: row.per_processor_second),
    }


def choose_peers(asked: Sequence[str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The keys of the peers that are installed, and why the others cannot run."""
    keys = asked or tuple(PEERS)
    absent = {
        key: f"not installed: {', '.join(missing)}. {install_line(PEERS[key])}"
        for key in keys
        if (missing := find_missing(PEERS[key]))
    }
    return tuple(key for key in keys if key not in absent), absent


def absent_row(key: str, reason: str) -> dict[str, Any]:
    """The row of a peer without figures."""
    return {"key": key, "title": PEERS[key].title, "how": PEERS[key].how, "not_run": reason}


def _measure(key: str, corpus: Corpus, folder: Path, repetition: int) -> dict[str, Any]:
    if key == BARE:
        return measure_apart("embed", {"root": str(corpus.root)})
    return measure_apart(
        "index",
        {
            "peer": key,
            "root": str(corpus.root),
            "notes": str(folder / "notes.json"),
            "folder": str(folder / f"{key}-{repetition}"),
        },
    )


def _row(measured: Sequence[dict[str, Any]], characters: int) -> _Row:
    return _Row(
        per_second=[characters / one["seconds"] for one in measured],
        per_processor_second=[characters / one["processor_seconds"] for one in measured],
        peak_mib=[one["peak_mib"] for one in measured],
        chunks=measured[0]["chunks"],
        read_share=measured[0]["read_share"],
    )


def _as_json(key: str, row: _Row) -> dict[str, Any]:
    bare = key == BARE
    title, how = (
        ("our model in a bare loop", "the same passages in the same batches")
        if bare
        else (find_peer(key).title, find_peer(key).how)
    )
    embeds = bare or find_peer(key).model is not None
    return {
        "key": key,
        "title": title,
        "how": how,
        "characters_per_second": summarise(row.per_second),
        "read_share": row.read_share if embeds else None,
        "embedded_characters_per_second": (
            summarise([value * row.read_share for value in row.per_second]) if embeds else None
        ),
        "characters_per_processor_second": summarise(row.per_processor_second),
        "chunks": row.chunks,
        "peak_mib": summarise(row.peak_mib),
    }


def _compare(rows: dict[str, _Row], series: Callable[[_Row], Sequence[float]]) -> dict[str, Any]:
    """Ours divided by each other tool that embeds, repetition by repetition."""
    others: Iterable[str] = [key for key in rows if key != OURS]
    return {
        key: ratios(series(rows[OURS]), series(rows[key]))
        for key in others
        if key == BARE or find_peer(key).model is not None
    }
