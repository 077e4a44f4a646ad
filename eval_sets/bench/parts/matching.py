"""L0 on many entries beside L0 on few."""

from pathlib import Path
from typing import Any

from eval_sets.bench.child import measure_apart
from eval_sets.bench.tasks.matching import MATCHES
from eval_sets.bench.types import Plan, Tell, ratios, summarise

KINDS = ("constant_matches", "common_word")


def measure_matching(plan: Plan, folder: Path, tell: Tell) -> dict[str, Any]:  # noqa: ARG001
    """Median milliseconds at both sizes, and the larger divided by the smaller."""
    few, many = plan.entries
    found = {}
    for entries in plan.entries:
        tell(f"l0: {entries} entries")
        given = {"entries": entries, "queries": plan.queries, "repeat": plan.repeat}
        found[entries] = measure_apart("match", given)
    series = {
        (entries, kind): [one[kind] for one in found[entries]["milliseconds"]]
        for entries in plan.entries
        for kind in KINDS
    }
    return {
        "matches": MATCHES,
        "entries": list(plan.entries),
        "milliseconds": {
            kind: {str(entries): summarise(series[entries, kind]) for entries in plan.entries}
            for kind in KINDS
        },
        "peak_mib": {str(entries): found[entries]["peak_mib"] for entries in plan.entries},
        "ratios": {kind: ratios(series[many, kind], series[few, kind]) for kind in KINDS},
    }
