"""Is a difference more than noise? Paired tests, intervals, effect sizes, separation."""

from eval_sets.statistics.comparing import (
    Comparison,
    compare,
    correct,
    detectable_difference,
    effect_size,
    holm,
)
from eval_sets.statistics.resampling import (
    DEFAULT_RESAMPLES,
    Interval,
    PValue,
    auroc,
    auroc_interval,
    bootstrap_mean,
    randomisation_test,
)

__all__ = [
    "DEFAULT_RESAMPLES",
    "Comparison",
    "Interval",
    "PValue",
    "auroc",
    "auroc_interval",
    "bootstrap_mean",
    "compare",
    "correct",
    "detectable_difference",
    "effect_size",
    "holm",
    "randomisation_test",
]
