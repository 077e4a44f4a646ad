"""A report as pandas frames."""

from typing import TYPE_CHECKING, Any

from eval_sets.metrics import distinct, first_rank
from eval_sets.types import Case, Row
from retrieval.errors import InvalidInput, MissingExtra

if TYPE_CHECKING:
    import pandas as pd

    from eval_sets.results import Report


def rows_frame(report: "Report") -> "pd.DataFrame":
    """One line a row: what was asked, how it ended, and a column for each metric."""
    pandas = _pandas()
    cases = report.cases_by_id
    lines = [
        _line(row, cases[row.case_id])
        | {metric: report.values[row.variant][metric].get(row.case_id) for metric in report.metrics}
        for row in report.rows
    ]
    frame: pd.DataFrame = pandas.DataFrame(lines)
    metrics = list(report.metrics)
    return frame.astype(dict.fromkeys(metrics, "float64"))


def per_query_frame(report: "Report", metric: str) -> "pd.DataFrame":
    """Queries by variants under one metric."""
    if metric not in report.metrics:
        raise InvalidInput(
            f"The report has no metric {metric!r}.",
            next_action=f"Metrics: {', '.join(report.metrics)}.",
        )
    pandas = _pandas()
    ids = [case.id for case in report.cases]
    data: dict[str, list[Any]] = {
        "stratum": [case.stratum for case in report.cases],
        "query": [case.query for case in report.cases],
    }
    frame: pd.DataFrame = pandas.DataFrame(data, index=pandas.Index(ids, name="case_id"))
    for variant in report.variants:
        scores = report.values[variant.name][metric]
        frame[variant.name] = pandas.Series(
            [scores.get(i) for i in ids], index=ids, dtype="float64"
        )
    return frame


def _line(row: Row, case: Case) -> dict[str, Any]:
    relevance = row.relevance
    return {
        "case_id": case.id,
        "query": case.query,
        "stratum": case.stratum,
        "split": case.split,
        "variant": row.variant,
        "status": row.status,
        "outcome": row.outcome,
        "retrieval_layer": row.retrieval_layer,
        "primary": row.sources[0] if row.sources else None,
        "first_relevant_rank": first_rank(distinct(row.sources, case.exclude), case.positives),
        "l0_matches": row.l0_matches,
        "l1_status": row.l1_status,
        "filter_category": row.filter.category if row.filter else None,
        "relaxed": row.relaxed,
        "level": relevance.level if relevance else None,
        "confidence": relevance.confidence if relevance else None,
        "semantic_support": relevance.semantic_support if relevance else None,
        "latency_ms": row.latency_ms,
        "error": row.error.code if row.error else None,
    }


def _pandas() -> Any:
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtra("A pandas frame", "eval") from None
    return pd
