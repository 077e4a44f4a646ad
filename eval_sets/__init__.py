"""Labelled queries, and the code that scores a lookup on them.

    >>> from eval_sets import bundled_sets, load_set, run
    >>> from retrieval import KnowledgeBase
    >>> labelled = load_set(bundled_sets()["starter"])
    >>> kb = KnowledgeBase.open(labelled.knowledge_base)
    >>> report = run(labelled, kb, ["l0", "l1", "l0+l1"])                  # doctest: +SKIP
    >>> report.per_query("nDCG@10").groupby("stratum").mean(numeric_only=True)  # doctest: +SKIP

`run` needs an index for every variant that asks L1: `kb.reindex()` builds it. Importing this
package is cheap: what a name needs is loaded when the name is first used.
"""

from typing import TYPE_CHECKING

from retrieval.lazy_names import load_on_use as _load_on_use

if TYPE_CHECKING:
    from eval_sets.calibrating import CalibrationReport, calibrate_index
    from eval_sets.errors import Problem, SetError, TooFewLabels
    from eval_sets.gate import (
        Baseline,
        Regression,
        baseline_of,
        compare_to_baseline,
        load_baseline,
        save_baseline,
    )
    from eval_sets.harness import run
    from eval_sets.loading import load_set, save_cases
    from eval_sets.results import Report, Score
    from eval_sets.sets import bundled_sets
    from eval_sets.types import Case, EvalSet, Mean, Ranked, Row, SetMeta, Variant
    from eval_sets.variants import parse_variant

_HOMES = {
    "Baseline": "eval_sets.gate",
    "CalibrationReport": "eval_sets.calibrating",
    "Case": "eval_sets.types",
    "EvalSet": "eval_sets.types",
    "Mean": "eval_sets.types",
    "Problem": "eval_sets.errors",
    "Ranked": "eval_sets.types",
    "Regression": "eval_sets.gate",
    "Report": "eval_sets.results",
    "Row": "eval_sets.types",
    "Score": "eval_sets.results",
    "SetError": "eval_sets.errors",
    "SetMeta": "eval_sets.types",
    "TooFewLabels": "eval_sets.errors",
    "Variant": "eval_sets.types",
    "baseline_of": "eval_sets.gate",
    "bundled_sets": "eval_sets.sets",
    "calibrate_index": "eval_sets.calibrating",
    "compare_to_baseline": "eval_sets.gate",
    "load_baseline": "eval_sets.gate",
    "load_set": "eval_sets.loading",
    "parse_variant": "eval_sets.variants",
    "run": "eval_sets.harness",
    "save_baseline": "eval_sets.gate",
    "save_cases": "eval_sets.loading",
}

__all__ = [
    "Baseline",
    "CalibrationReport",
    "Case",
    "EvalSet",
    "Mean",
    "Problem",
    "Ranked",
    "Regression",
    "Report",
    "Row",
    "Score",
    "SetError",
    "SetMeta",
    "TooFewLabels",
    "Variant",
    "baseline_of",
    "bundled_sets",
    "calibrate_index",
    "compare_to_baseline",
    "load_baseline",
    "load_set",
    "parse_variant",
    "run",
    "save_baseline",
    "save_cases",
]

__getattr__ = _load_on_use(__name__, _HOMES)
