"""The contract as numbers, on labelled expectations: filter, fallback, dedupe, no answer."""

from eval_sets.contract.deduplication import DedupeMetrics, dedupe_metrics
from eval_sets.contract.fallback import FallbackMetrics, fallback_metrics
from eval_sets.contract.filtering import FilterMetrics, RankMove, as_expected, filter_metrics
from eval_sets.contract.no_answer import (
    NoAnswerMetrics,
    OperatingPoint,
    no_answer_metrics,
    operating_points,
    point_for,
)

__all__ = [
    "DedupeMetrics",
    "FallbackMetrics",
    "FilterMetrics",
    "NoAnswerMetrics",
    "OperatingPoint",
    "RankMove",
    "as_expected",
    "dedupe_metrics",
    "fallback_metrics",
    "filter_metrics",
    "no_answer_metrics",
    "operating_points",
    "point_for",
]
