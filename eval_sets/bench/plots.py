"""The plots beside the results: SVG that is legible on a light and on a dark page."""

import io
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from eval_sets.bench.results import Results
from retrieval.atomic import write_atomic
from retrieval.errors import MissingExtra

# An image in a page does not inherit the page's colour: a grey stands out from white and black.
_INK = "#808080"
_OURS, _OTHERS, _CUT = "#56b4e9", "#e69f00", "rgba(128,128,128,0.45)"
_WIDTH = 520
SCALE_NAME, INDEXING_NAME = "bench-scale.svg", "bench-indexing.svg"


def check_plots() -> None:
    """Raises `MissingExtra` where what draws is not installed."""
    if not all(find_spec(library) for library in ("altair", "vl_convert")):
        raise MissingExtra("A plot of the benchmark", "bench")


def write_plots(results: Results, out: Path) -> tuple[Path, ...]:
    """Draws what the results hold, and gives the files; parts that were not run have none.

    Raises as `check_plots`.
    """
    check_plots()
    written = []
    scale, indexing = results.parts.get("scale"), results.parts.get("indexing")
    if scale is not None and scale.found.get("rows"):
        written.append(_save(_scale_chart(scale.found["rows"]), out / SCALE_NAME))
    if indexing is not None and indexing.found.get("rows"):
        written.append(_save(_indexing_chart(indexing.found["rows"]), out / INDEXING_NAME))
    return tuple(written)


def _scale_chart(rows: Sequence[dict[str, Any]]) -> Any:
    """Time, memory and disk over passages, both axes logarithmic."""
    import altair as alt

    seconds, mebibytes = [], []
    for row in rows:
        at = row["passages"]
        seconds += [
            {"passages": at, "value": row["index_seconds"], "what": "index, all but embedding"},
            {
                "passages": at,
                "value": row["first_lookup_seconds"]["median"],
                "what": "first lookup",
            },
            {
                "passages": at,
                "value": row["lookup_milliseconds"]["median"] / 1000,
                "what": "later lookup",
            },
        ]
        mebibytes += [
            {"passages": at, "value": row["index_peak_mib"], "what": "peak while indexing"},
            {
                "passages": at,
                "value": row["lookup_peak_mib"]["median"],
                "what": "peak while looking up",
            },
            {"passages": at, "value": row["disk_mib"], "what": "disk"},
        ]

    def panel(values: list[dict[str, Any]], title: str) -> Any:
        return (
            alt.Chart(alt.InlineData(values), width=_WIDTH // 2, height=200)
            .mark_line(point=True)
            .encode(
                x=alt.X("passages:Q", title="passages").scale(type="log"),
                y=alt.Y("value:Q", title=title).scale(type="log"),
                color=alt.Color("what:N", sort=None)
                .scale(range=["#56b4e9", "#e69f00", "#009e73"])
                .legend(columns=1),
            )
        )

    return alt.hconcat(panel(seconds, "seconds"), panel(mebibytes, "MiB")).resolve_scale(
        color="independent"
    )


def _indexing_chart(rows: Sequence[dict[str, Any]]) -> Any:
    """A bar a tool: characters a second, and in grey those that the model never read."""
    import altair as alt

    values = []
    for row in rows:
        read = row.get("embedded_characters_per_second")
        if read is None:
            continue
        whole = row["characters_per_second"]
        kind = "ours" if row["key"] in ("ours", "bare") else "peer"
        values.append({"tool": row["title"], "value": read["median"], "kind": kind, "order": 0})
        rest = whole["median"] - read["median"]
        values.append({"tool": row["title"], "value": rest, "kind": "never read", "order": 1})
    return (
        alt.Chart(alt.InlineData(values), width=_WIDTH, height=alt.Step(22))
        .mark_bar()
        .encode(
            y=alt.Y("tool:N", sort=None, title=None),
            x=alt.X("value:Q", title="characters of notes a second"),
            color=alt.Color("kind:N", sort=None).scale(
                domain=["ours", "peer", "never read"], range=[_OURS, _OTHERS, _CUT]
            ),
            order="order:Q",
        )
    )


def _save(chart: Any, path: Path) -> Path:
    from eval_sets.report.charts import dress

    out = io.StringIO()
    dress(chart, ink=_INK).save(out, format="svg")
    write_atomic(path, out.getvalue())
    return path
