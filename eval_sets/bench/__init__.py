"""How fast the lookup is, beside bare tools and beside what people use for the same job.

`run_parts` measures and writes `bench.json`; `targets` says which ratios are held to what.
"""

from eval_sets.bench.results import Results, Section, load_results
from eval_sets.bench.running import PARTS, run_parts
from eval_sets.bench.types import Plan

__all__ = ["PARTS", "Plan", "Results", "Section", "load_results", "run_parts"]
