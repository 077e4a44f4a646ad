"""A re-index after one changed note, beside what it may take and beside a full index."""

from pathlib import Path
from typing import Any

from eval_sets.bench.child import measure_apart
from eval_sets.bench.tasks.reindexing import ALLOWANCE, FACTOR
from eval_sets.bench.types import Plan, Tell, summarise


def measure_reindexing(plan: Plan, folder: Path, tell: Tell) -> dict[str, Any]:
    """Seconds and ratios for a rewritten note and for one changed sentence."""
    tell(f"reindex: {plan.passages} passages are embedded first")
    found = measure_apart(
        "reindex",
        {
            "passages": plan.passages,
            "repeat": plan.repeat,
            "folder": str(folder),
            "settings": {},
        },
    )
    full = found["full_seconds"]
    kinds: dict[str, Any] = {}
    ratios: dict[str, Any] = {}
    for kind in ("whole_note", "one_passage"):
        turns = found[kind]
        kinds[kind] = {
            "passages": turns[0]["passages"],
            "seconds": summarise([turn["seconds"] for turn in turns]),
            "embed_seconds": summarise([turn["embed_seconds"] for turn in turns]),
            "share_of_full": summarise([turn["seconds"] / full for turn in turns]),
        }
        ratios[kind] = summarise(
            [turn["seconds"] / (FACTOR * turn["embed_seconds"] + ALLOWANCE) for turn in turns]
        )
    return {
        "passages": found["passages"],
        "full_seconds": round(full, 2),
        "peak_mib": found["peak_mib"],
        "ratios": ratios,
        **kinds,
    }
