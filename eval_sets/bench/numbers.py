"""Figures as tables show them."""

from collections.abc import Iterable

from eval_sets.bench.types import Measured

NONE = "-"


def show_median(measured: Measured | None) -> str:
    return NONE if measured is None else _number(measured["median"])


def show_range(measured: Measured | None) -> str:
    if measured is None:
        return NONE
    return show_span((measured["low"], measured["high"]))


def show_span(values: Iterable[float]) -> str:
    ends = sorted(values)
    return f"{_number(ends[0])} to {_number(ends[-1])}"


def _number(value: float) -> str:
    """Three significant digits, thousands with commas."""
    if abs(value) >= 100:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:#.3g}" if value else "0"
