"""A whole lookup beside a bare query of the vectors."""

from pathlib import Path
from typing import Any

from eval_sets.bench.child import measure_apart
from eval_sets.bench.types import Plan, Tell, ratios, summarise

KINDS = ("no_filter", "caller_filter", "derived_filter")
BARE = "bare"


def measure_lookups(plan: Plan, folder: Path, tell: Tell) -> dict[str, Any]:
    """Median milliseconds of each kind of lookup, and each divided by the bare query."""
    tell(f"lookup: {plan.passages} synthetic passages are indexed first")
    found = measure_apart(
        "look-up",
        {
            "passages": plan.passages,
            "queries": plan.queries,
            "repeat": plan.repeat,
            "folder": str(folder),
        },
    )
    times = found["milliseconds"]
    series = {name: [one[name] for one in times] for name in (*KINDS, BARE, "embedding")}
    return {
        "passages": found["passages"],
        "queries": plan.queries,
        "filtered": found["filtered"],
        "milliseconds": {name: summarise(values) for name, values in series.items()},
        "peak_mib": found["peak_mib"],
        "ratios": {name: ratios(series[name], series[BARE]) for name in KINDS},
    }
