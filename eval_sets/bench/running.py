"""The parts of the benchmark one after the other, each written as soon as it is done."""

import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from eval_sets.bench.machine import describe_machine
from eval_sets.bench.results import RESULTS_NAME, Results, Section, load_results, save_section
from eval_sets.bench.types import Part, Plan, Tell

Measure = Callable[[Plan, Path, Tell], dict[str, Any]]

PARTS: dict[Part, str] = {
    "indexing": "indexing:measure_indexing",
    "reindex": "reindexing:measure_reindexing",
    "lookup": "looking_up:measure_lookups",
    "l0": "matching:measure_matching",
    "scale": "scaling:measure_scaling",
    "cold": "starting:measure_start",
    "peers-quality": "quality:measure_quality",
}
"""Part → where in `eval_sets.bench.parts` its function stands."""


def run_parts(parts: Sequence[Part], plan: Plan, out: Path, tell: Tell) -> Results:
    """Runs the parts and puts each into `out/bench.json`; gives all that the file holds then.

    Raises `InvalidInput` when that file holds something else, before anything is run, and
    `BenchFailed` when a measurement of this project's own side fails: the parts before it are in
    the file.
    """
    path = out / RESULTS_NAME
    results = load_results(path)
    for part in parts:
        machine = describe_machine()
        started = time.perf_counter()
        with TemporaryDirectory(prefix="lookup-bench-") as folder:
            found = _find_measure(part)(plan, Path(folder), tell)
        section = Section(
            found=found,
            plan=plan.as_json(),
            machine=machine,
            seconds=round(time.perf_counter() - started, 1),
        )
        results = save_section(path, part, section)
    return results


def _find_measure(part: Part) -> Measure:
    module, _, name = PARTS[part].partition(":")
    measure: Measure = getattr(import_module(f"eval_sets.bench.parts.{module}"), name)
    return measure
