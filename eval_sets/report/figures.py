"""What the charts of a report show: their values, and what they say in words."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from eval_sets.contract import RankMove
from eval_sets.report.document import Figure
from eval_sets.report.wording import name_of
from eval_sets.results import Score

MOST_MOVES = 30
_QUANTILES = {"p5": 0.05, "p25": 0.25, "median": 0.5, "p75": 0.75, "p95": 0.95}


def strata_figure(scores: Iterable[Score], metric: str) -> Figure:
    """A bar for each stratum and variant; strata without a score are left out."""
    values = [
        {
            "stratum": f"{name_of(score.stratum or '')} ({score.mean.n})",
            "variant": score.variant,
            "mean": score.mean.value,
            "low": score.interval.low if score.interval else None,
            "high": score.interval.high if score.interval else None,
        }
        for score in scores
        if score.mean.value is not None
    ]
    return Figure(
        title=f"{metric} by stratum",
        caption="Mean over the queries of each stratum (how many, in brackets). The thin line is "
        "the 95 % bootstrap interval of the mean.",
        kind="strata",
        measure=metric,
        values=tuple(values),
    )


def differences_figure(
    pairs: Mapping[str, tuple[float, float]], *, names: tuple[str, str], metric: str
) -> Figure:
    """A bar for each query, sorted; `pairs` maps a case id to the scores of both variants."""
    differences = sorted((second - first for first, second in pairs.values()), reverse=True)
    values = [
        {"place": place, "difference": difference}
        for place, difference in enumerate(differences, start=1)
    ]
    return Figure(
        title=f"{names[1]} against {names[0]}, query by query",
        caption=f"Each query's {metric} with {names[1]} minus that with {names[0]}, sorted: "
        f"{names[1]} is better above zero and worse below.",
        kind="differences",
        measure=metric,
        values=tuple(values),
    )


def moves_figure(moves: Iterable[RankMove], *, variant: str, metric: str) -> Figure:
    """A bar for each query whose score the filter changed, best first."""
    largest = sorted(moves, key=lambda move: (-abs(move.change), move.case_id))[:MOST_MOVES]
    values = [
        {"query": f"{move.case_id} → {move.category}", "change": move.change}
        for move in sorted(largest, key=lambda move: (-move.change, move.case_id))
    ]
    return Figure(
        title=f"Queries that the filter of {variant} helped or harmed",
        caption=f"{metric} with the filter minus {metric} without it, and the category that was "
        f"chosen; the {MOST_MOVES} largest changes at most.",
        kind="moves",
        measure=metric,
        values=tuple(values),
    )


def latency_figure(latencies: Mapping[str, Sequence[float]]) -> Figure:
    """A box for each variant; `latencies` are milliseconds of each lookup."""
    values = [
        {"variant": variant}
        | {name: float(np.quantile(measured, share)) for name, share in _QUANTILES.items()}
        for variant, measured in latencies.items()
        if measured
    ]
    return Figure(
        title="Latency",
        caption="Milliseconds of a lookup, on a logarithmic scale: the tick is the median, the "
        "bar holds the middle half, the line reaches from the 5th to the 95th percentile.",
        kind="latency",
        measure="milliseconds",
        values=tuple(values),
    )
