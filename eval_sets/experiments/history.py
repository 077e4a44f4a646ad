"""The results of an experiment over time, as rows, CSV and charts."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from eval_sets.experiments.files import Experiment, StoredResult
from eval_sets.report.document import Figure
from retrieval.atomic import write_atomic
from retrieval.errors import MissingExtra
from retrieval.types import Json

COLUMNS = (
    "created_at",
    "set",
    "variant",
    "split",
    "metric",
    "value",
    "low",
    "high",
    "n",
    "of",
    "failed",
    "cases",
    "notes",
    "config",
    "index",
    "embedding",
    "code",
)


def rows_of(
    results: Iterable[StoredResult], metrics: Sequence[str] | None = None
) -> Iterator[dict[str, Json]]:
    """One row for each result and metric, in the order of the results."""
    for result in results:
        for metric, figures in result.metrics.items():
            if metrics is not None and metric not in metrics:
                continue
            digests = result.fingerprints.model_dump(exclude={"libraries"})
            yield {
                "created_at": result.created_at,
                "set": result.set,
                "variant": result.variant,
                "split": result.split,
                "metric": metric,
                **figures.model_dump(exclude={"by_case"}),
                "failed": len(result.failed),
                **digests,
            }


def changed_since(before: StoredResult, after: StoredResult) -> tuple[str, ...]:
    """What is otherwise in the later of two results: names of fingerprints, `queries`, `split`."""
    old, new = before.fingerprints.model_dump(), after.fingerprints.model_dump()
    found = [name for name in old if old[name] != new[name]]
    if before.split != after.split:
        found.append("split")
    return tuple(found)


def of_experiment(
    experiment: Experiment, results: Iterable[StoredResult]
) -> tuple[StoredResult, ...]:
    """The results of the variants that the experiment's file still names, in their order."""
    names = {variant.name for variant in experiment.variants}
    return tuple(result for result in results if result.variant in names)


def check_charts() -> None:
    """Raises `MissingExtra` when charts cannot be drawn here; ask before work is done for them."""
    if not all(find_spec(library) for library in ("altair", "vl_convert")):
        raise MissingExtra("A chart of an experiment", "eval")


def write_tables(
    folder: Path, now: Sequence[StoredResult], history: Sequence[StoredResult], metric: str
) -> tuple[Path, ...]:
    """Writes `summary.csv` (the results of this run), `history.csv` (all there are), and charts.

    `summary.svg` has the metric by set and variant with its intervals; `history-<set>.svg` over
    time, for sets with more than one result of a variant. Without the extra `eval` there are no
    charts, and this raises `MissingExtra` after the tables are written.
    """
    written = []
    for name, results in (("summary", now), ("history", history)):
        path = folder / f"{name}.csv"
        write_atomic(path, to_csv(rows_of(results)))
        written.append(path)
    figures = {"summary": summary_figure(now, metric)}
    for set_name in dict.fromkeys(result.set for result in history):
        of_set = [result for result in history if result.set == set_name]
        if len(of_set) > len({result.variant for result in of_set}):
            figures[f"history-{set_name}"] = history_figure(of_set, metric)
    check_charts()
    from eval_sets.report.charts import to_svg

    for name, figure in figures.items():
        path = folder / f"{name}.svg"
        write_atomic(path, to_svg(figure))
        written.append(path)
    return tuple(written)


def to_csv(rows: Iterable[Mapping[str, Json]]) -> str:
    """The rows as CSV with a header; a missing value is an empty field."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def summary_figure(results: Sequence[StoredResult], metric: str) -> Figure:
    """The means of one run, by set and variant."""
    return Figure(
        title=f"{metric} by set and variant",
        caption="Means over the labelled queries with 95 % bootstrap intervals.",
        kind="strata",
        measure=metric,
        values=tuple(
            {
                "stratum": result.set,
                "variant": result.variant,
                "mean": figures.value,
                "low": figures.low,
                "high": figures.high,
            }
            for result in results
            if (figures := result.metrics.get(metric)) and figures.value is not None
        ),
    )


def history_figure(results: Sequence[StoredResult], metric: str) -> Figure:
    """The means of one set over time, a line for each variant."""
    return Figure(
        title=f"{metric} over time",
        caption="A point is a result; what changed between two stands in history.csv.",
        kind="history",
        measure=metric,
        values=tuple(
            {"moment": result.created_at, "variant": result.variant, "mean": figures.value}
            for result in results
            if (figures := result.metrics.get(metric)) and figures.value is not None
        ),
    )
