"""Time, memory and disk at growing numbers of passages."""

import shutil
from pathlib import Path
from typing import Any

from eval_sets.bench.child import measure_apart
from eval_sets.bench.types import Plan, Tell, summarise

_MIB = 2**20


def measure_scaling(plan: Plan, folder: Path, tell: Tell) -> dict[str, Any]:
    """A row for each size. An index is built once; it is asked by `repeat` processes."""
    rows: list[dict[str, Any]] = []
    peaks: list[float] = []
    for passages in plan.sizes:
        tell(f"scale: {passages} passages")
        place = folder / str(passages)
        built = measure_apart("build", {"passages": passages, "folder": str(place)})
        asked = [
            measure_apart(
                "ask", {"passages": passages, "folder": str(place), "queries": plan.queries}
            )
            for _ in range(plan.repeat)
        ]
        shutil.rmtree(place)
        peaks = [max(built["peak_mib"], one["peak_mib"]) * _MIB / 1e9 for one in asked]
        rows.append(
            {
                "passages": built["passages"],
                "index_seconds": round(built["seconds"], 2),
                "index_peak_mib": built["peak_mib"],
                "disk_mib": round(built["bytes"] / _MIB, 1),
                "first_lookup_seconds": summarise([one["first_seconds"] for one in asked]),
                "lookup_milliseconds": summarise([one["milliseconds"] for one in asked]),
                "lookup_peak_mib": summarise([one["peak_mib"] for one in asked]),
            }
        )
    return {"rows": rows, "ratios": {"peak_gb": summarise(peaks)}}
