"""How numbers and names stand in a report; what is not there is a dash."""

from eval_sets.report.document import Cell, Toned
from eval_sets.statistics import Comparison, Interval
from eval_sets.types import Mean

DASH = "–"
MINUS = "−"


def number(value: float | None, digits: int = 3) -> str:
    """A number with as many decimals, a dash for None."""
    return DASH if value is None else f"{value:.{digits}f}".replace("-", MINUS)


def signed(value: float | None) -> str:
    """A difference with its sign."""
    return DASH if value is None else f"{value:+.3f}".replace("-", MINUS)


def between(interval: Interval | None) -> str:
    """Both ends of the interval of a mean."""
    return DASH if interval is None else f"{number(interval.low)}…{number(interval.high)}"


def signed_between(interval: Interval | None) -> str:
    """Both ends of the interval of a difference, without the zero before the point."""
    if interval is None:
        return DASH
    low, high = (signed(end).replace("0.", ".", 1) for end in (interval.low, interval.high))
    return f"{low}…{high}"


def estimate(value: float | None, interval: Interval | None) -> str:
    """A mean and its interval, short enough for three beside each other on 80 columns."""
    if interval is None:
        return number(value)
    low, high = (number(end, 2).removeprefix("0") for end in (interval.low, interval.high))
    return f"{number(value)} [{low}, {high}]"


def denominator(*means: Mean) -> str:
    """How many values are in the mean, and how many could have been; a range for several means."""
    if not means:
        return DASH
    numbers = sorted(mean.n for mean in means)
    of = max(mean.of for mean in means)
    return f"{DASH.join(str(n) for n in dict.fromkeys((numbers[0], numbers[-1])))}/{of}"


def share(mean: Mean) -> str:
    """A mean with its denominator."""
    return (
        f"{number(mean.value)} (n={mean.n})"
        if mean.n == mean.of
        else (f"{number(mean.value)} (n={mean.n} of {mean.of})")
    )


def must_be(mean: Mean, wanted: float) -> Cell:
    """A share that the contract fixes; without any query it is neither good nor bad."""
    if mean.value is None:
        return share(mean)
    return Toned(text=share(mean), tone="good" if mean.value == wanted else "bad")


def must_be_none(count: int) -> Cell:
    """A count that the contract wants to be 0."""
    return Toned(text=str(count), tone="bad" if count else "good")


def p_value(comparison: Comparison) -> str:
    """The p-value that decides: the corrected one where there is one."""
    if comparison.p is None:
        return DASH
    p = comparison.p.value if comparison.p_adjusted is None else comparison.p_adjusted
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def verdict(comparison: Comparison) -> Cell:
    """One word for what a comparison shows."""
    if comparison.difference is None:
        return Toned(text=DASH, tone="quiet")
    if not comparison.wins and not comparison.losses:
        return Toned(text="same", tone="quiet")
    if not comparison.distinguishable:
        return Toned(text="unclear", tone="quiet")
    if comparison.metric.startswith("judged"):  # how much is labelled is neither good nor bad
        return Toned(text="more" if comparison.difference > 0 else "less", tone="plain")
    if comparison.difference > 0:
        return Toned(text="better", tone="good")
    return Toned(text="worse", tone="bad")


def name_of(stratum: str) -> str:
    """The name of a stratum, also where cases have none."""
    return stratum or "(none)"


def first_of(names: tuple[str, ...], most: int = 8) -> str:
    """The names, and how many were left out."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
