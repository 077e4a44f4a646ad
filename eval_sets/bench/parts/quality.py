"""nDCG@10 of the peers beside ours on labelled sets of real notes, query by query."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from eval_sets.bench.child import BenchFailed, measure_apart
from eval_sets.bench.corpora import notes_size
from eval_sets.bench.notes import find_corpora, read_notes, save_notes
from eval_sets.bench.parts.indexing import absent_row, choose_peers
from eval_sets.bench.peers import OURS, PEERS, find_peer
from eval_sets.bench.types import Plan, Tell
from eval_sets.interchange import import_beir
from eval_sets.loading import load_set
from eval_sets.metrics import distinct, ndcg
from eval_sets.statistics import Comparison, bootstrap_mean, compare, correct
from eval_sets.types import EvalSet
from retrieval.errors import InvalidInput

METRIC = "nDCG@10"
DEPTH = 10
LARGEST = 5.0
"""Megabytes of notes up to which a set is cheap enough to be asked without being named."""
_QUERIES = "queries.jsonl"
# A ranking of chunks holds a note many times.
_CHUNKS = 100


def measure_quality(plan: Plan, folder: Path, tell: Tell) -> dict[str, Any]:
    """Means with intervals and paired differences to ours, set by set.

    Pages that link with the query's words are taken out of each ranking. Holm's correction goes
    over the peers of one set. Peers on our own model are left out: they rank as with the file.
    """
    if plan.data is None:
        return {
            "skipped": "No --data was given. The bundled set was written by the authors of its "
            "notes and says nothing about quality."
        }
    chosen, left_out = _choose_sets(plan)
    wanted, absent = choose_peers(plan.peers)
    peers = [key for key in wanted if PEERS[key].model != "ours"]
    found = {name: _measure_set(plan.data / name, folder / name, peers, tell) for name in chosen}
    return {
        "metric": METRIC,
        "sets": found,
        "left_out": left_out,
        "not_run": [absent_row(key, reason) for key, reason in absent.items()],
    }


def _choose_sets(plan: Plan) -> tuple[list[str], dict[str, str]]:
    """The sets to ask, and why others are not. Raises `InvalidInput` for an unknown name."""
    assert plan.data is not None
    roots = {
        name: root
        for name, root in find_corpora(plan.data).items()
        if (root.parent / _QUERIES).is_file()
    }
    if unknown := [name for name in plan.sets if name not in roots]:
        raise InvalidInput(
            f"{plan.data} has no labelled set {unknown[0]!r}.",
            next_action=f"Choose from: {', '.join(roots)}.",
        )
    left_out = {}
    for name, root in roots.items():
        size = notes_size(root) / 1e6
        if plan.sets and name not in plan.sets:
            left_out[name] = "not asked for"
        elif not plan.sets and size > LARGEST:
            left_out[name] = f"{size:.1f} MB of notes: name it with --sets to run it"
    return [name for name in roots if name not in left_out], left_out


def _measure_set(source: Path, folder: Path, peers: Sequence[str], tell: Tell) -> dict[str, Any]:
    import_beir(source, folder / "set", name=source.name)
    labelled = load_set(folder / "set")
    save_notes(read_notes(labelled.root), folder / "notes.json")
    scores: dict[str, dict[str, float | None]] = {}
    failed: dict[str, str] = {}
    for key in (OURS, *peers):
        tell(f"peers-quality: {key} on {source.name}")
        given = {
            "peer": key,
            "root": str(labelled.root),
            "notes": str(folder / "notes.json"),
            "folder": str(folder / key),
            "queries": [case.query for case in labelled.cases],
            "limits": [
                len(case.exclude) + (DEPTH if key == OURS else _CHUNKS) for case in labelled.cases
            ],
        }
        try:
            rankings = measure_apart("rank", given)["rankings"]
        except BenchFailed as error:
            if key == OURS:
                raise
            failed[key] = error.message
            continue
        scores[key] = _score(labelled, rankings)
    family = correct(
        [
            compare(scores[OURS], scores[key], names=(OURS, key), metric=METRIC)
            for key in scores
            if key != OURS
        ]
    )
    compared = {comparison.b: comparison for comparison in family}
    return {
        "queries": len(labelled.cases),
        "rows": [_row(key, scores[key], compared.get(key)) for key in scores]
        + [absent_row(key, reason) for key, reason in failed.items()],
    }


def _score(labelled: EvalSet, rankings: Sequence[Sequence[str]]) -> dict[str, float | None]:
    return {
        case.id: ndcg(distinct(ranking, case.exclude), case.relevant, DEPTH)
        for case, ranking in zip(labelled.cases, rankings, strict=True)
    }


def _row(
    key: str, scores: Mapping[str, float | None], against: Comparison | None
) -> dict[str, Any]:
    values = [value for value in scores.values() if value is not None]
    interval = bootstrap_mean(values)
    row: dict[str, Any] = {
        "key": key,
        "title": find_peer(key).title,
        "mean": round(sum(values) / len(values), 4) if values else None,
        "interval": _ends(interval),
        "n": len(values),
        "of": len(scores),
    }
    if against is not None:
        row["difference_to_ours"] = _rounded(against.difference)
        row["difference_interval"] = _ends(against.interval)
        row["p_holm"] = (
            against.p_adjusted
            if against.p_adjusted is not None
            else (against.p.value if against.p else None)
        )
        row["wins_ties_losses"] = [against.wins, against.ties, against.losses]
    return row


def _ends(interval: Any) -> list[float] | None:
    return None if interval is None else [round(interval.low, 4), round(interval.high, 4)]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
