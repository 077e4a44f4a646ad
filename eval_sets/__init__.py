"""Labelled queries, and the code that scores a lookup on them."""

from eval_sets.errors import Problem, SetError, TooFewLabels
from eval_sets.loading import load_set, save_cases
from eval_sets.results import Report
from eval_sets.types import Case, EvalSet, Mean, Ranked, Row, SetMeta, Variant

__all__ = [
    "Case",
    "EvalSet",
    "Mean",
    "Problem",
    "Ranked",
    "Report",
    "Row",
    "SetError",
    "SetMeta",
    "TooFewLabels",
    "Variant",
    "load_set",
    "save_cases",
]
