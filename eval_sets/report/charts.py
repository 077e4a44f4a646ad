"""The charts, drawn with Altair; import it on use, it needs the extra `eval` or `workbench`.

Text and lines take the colour of the page around them, so one picture fits light and dark.
"""

import io
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from eval_sets.report.document import Figure

Values = Sequence[Mapping[str, Any]]

# Okabe and Ito's colours: told apart by colour-blind readers, clear on white and on black.
PALETTE = ("#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#0072b2", "#999999")
BETTER, WORSE = PALETTE[2], PALETTE[4]
INK = "currentColor"
FAINT = "rgba(128,128,128,0.35)"
WIDTH = 560
TEXT = 12
_BAND = 13
"""Pixels of one bar."""


def to_svg(figure: Figure) -> str:
    """The chart of a figure as SVG markup; all text in it is escaped.

    Needs vl-convert, which the extra `eval` brings.
    """
    out = io.StringIO()
    to_chart(figure).save(out, format="svg")
    return out.getvalue()


def to_chart(figure: Figure) -> Any:
    """The chart of a figure as an Altair chart."""
    draw: Any = _DRAWN[figure.kind]
    return dress(draw(figure.values, figure.measure))


def dress(chart: Any, *, ink: str = INK) -> Any:
    """The chart in the clothes of all charts, its text in the colour `ink`."""
    return (
        chart.properties(background="transparent")
        .configure(font="sans-serif")
        .configure_axis(
            labelColor=ink,
            titleColor=ink,
            titleFontWeight="normal",
            labelFontSize=TEXT,
            titleFontSize=TEXT,
            gridColor=FAINT,
            domainColor=FAINT,
            tickColor=FAINT,
            labelLimit=260,
        )
        .configure_legend(
            labelColor=ink, labelFontSize=TEXT, labelLimit=WIDTH, orient="top", title=None
        )
        .configure_view(stroke=None)
    )


def strata(values: Values, measure: str) -> Any:
    """Bars by stratum and variant, each with its interval."""
    variants = list(dict.fromkeys(value["variant"] for value in values))
    base = alt.Chart(alt.InlineData(values), width=WIDTH, height=alt.Step(_BAND)).encode(
        y=alt.Y("stratum:N", sort=None, title=None).scale(paddingInner=0.3),
        yOffset=alt.YOffset("variant:N", sort=variants),
    )
    bars = base.mark_bar().encode(
        x=alt.X("mean:Q", title=f"mean {measure}").scale(domain=(0, 1)),
        color=alt.Color("variant:N", sort=variants)
        .scale(range=PALETTE)
        .legend(columns=0 if sum(map(len, variants)) < 60 else 1),
    )
    return bars + base.mark_rule(color=INK).encode(x=alt.X("low:Q"), x2="high:Q")


def differences(values: Values, measure: str) -> Any:
    """A bar for each query, in the order given."""
    size = min(max(WIDTH / max(len(values), 1) - 0.2, 0.6), 24)
    return (
        alt.Chart(alt.InlineData(values), width=WIDTH, height=200)
        .mark_bar(size=size)
        .encode(
            x=alt.X("place:Q", title="queries, sorted by their difference")
            .scale(domain=(0, len(values) + 1), nice=False)
            .axis(grid=False, tickMinStep=1),
            y=alt.Y("difference:Q", title=f"difference in {measure}"),
            color=_signed("difference"),
        )
    )


def moves(values: Values, measure: str) -> Any:
    """A bar for each changed query, in the order given."""
    return (
        alt.Chart(alt.InlineData(values), width=WIDTH, height=alt.Step(_BAND + 4))
        .mark_bar()
        .encode(
            y=alt.Y("query:N", sort=None, title=None),
            x=alt.X("change:Q", title=f"change in {measure}"),
            color=_signed("change"),
        )
    )


def latency(values: Values, measure: str) -> Any:
    """Median, quartiles and tails of each variant."""
    base = alt.Chart(alt.InlineData(values), width=WIDTH, height=alt.Step(2 * _BAND)).encode(
        y=alt.Y("variant:N", sort=None, title=None)
    )
    axis = alt.X("p5:Q", title=f"{measure}, logarithmic").scale(type="log")
    whole = base.mark_rule(color=INK).encode(x=axis, x2="p95:Q")
    half = base.mark_bar(color=PALETTE[0], height=_BAND).encode(x="p25:Q", x2="p75:Q")
    middle = base.mark_tick(color=INK, thickness=2, height=_BAND + 4).encode(x="median:Q")
    return whole + half + middle


def history(values: Values, measure: str) -> Any:
    """A line for each variant over time, with a point for each result."""
    return (
        alt.Chart(alt.InlineData(values), width=WIDTH, height=220)
        .mark_line(point=True)
        .encode(
            x=alt.X("moment:T", title="time of the result, UTC").scale(type="utc"),
            y=alt.Y("mean:Q", title=f"mean {measure}").scale(zero=False),
            color=alt.Color("variant:N", sort=list(dict.fromkeys(v["variant"] for v in values)))
            .scale(range=PALETTE)
            .legend(columns=1),
        )
    )


def _signed(field: str) -> Any:
    return (
        alt.Color(f"{field}:Q")
        .scale(type="threshold", domain=[0], range=[WORSE, BETTER])
        .legend(None)
    )


_DRAWN = {
    "strata": strata,
    "differences": differences,
    "moves": moves,
    "latency": latency,
    "history": history,
}
