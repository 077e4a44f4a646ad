"""An ablation as JSON, and as tables."""

from dataclasses import asdict
from typing import Any

from eval_sets.ablation.results import Ablation, Measured, SetAblation
from eval_sets.contract import FilterMetrics
from eval_sets.report.document import Document, Section, Table, columns
from eval_sets.statistics import Interval
from retrieval.weights import WEIGHTS

SCHEMA_VERSION = 1
PLACES = 4
_DASH = "–"


def ablation_to_json(ablation: Ablation) -> dict[str, Any]:
    """One document; scores are rounded to four places, p-values to six."""
    return {
        "schema_version": SCHEMA_VERSION,
        "metric": ablation.metric,
        "seed": ablation.seed,
        "resamples": ablation.resamples,
        "embedding": ablation.embedding,
        "versions": dict(ablation.versions),
        "weights": asdict(WEIGHTS),
        "sets": {one.name: _set_to_json(one) for one in ablation.sets},
        "pooled": {one.name: _measured_to_json(one) for one in ablation.pooled},
    }


def _set_to_json(one: SetAblation) -> dict[str, Any]:
    return {
        "digest": one.digest,
        "queries": one.queries,
        "notes": one.notes,
        "passages": one.passages,
        "measured": {measured.name: _measured_to_json(measured) for measured in one.measured},
        "filters": {mode: _filter_to_json(account) for mode, account in one.filters.items()},
    }


def _measured_to_json(measured: Measured) -> dict[str, Any]:
    comparison = measured.comparison
    data: dict[str, Any] = {
        "says": measured.says,
        "is_peer": measured.is_peer,
        "mean": _rounded(measured.mean.value),
        "n": measured.mean.n,
        "interval": _interval(measured.interval),
    }
    if comparison is not None:
        data |= {
            "difference": _rounded(comparison.difference),
            "difference_interval": _interval(comparison.interval),
            "p": comparison.p and round(comparison.p.value, 6),
            "p_holm": comparison.p_adjusted and round(comparison.p_adjusted, 6),
            "wins": comparison.wins,
            "ties": comparison.ties,
            "losses": comparison.losses,
        }
    return data


def _filter_to_json(account: FilterMetrics) -> dict[str, Any]:
    return {
        "fire_rate": _rounded(account.fire_rate.value),
        "route_accuracy": _rounded(account.route_accuracy.value),
        "fired": account.change.of,
        "relaxed_rate": _rounded(account.relaxed_rate.value),
        "change_on_fired": _rounded(account.change.value),
        "harmed": len(account.harmed),
        "helped": len(account.helped),
        "harmed_queries": [move.case_id for move in account.harmed],
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, PLACES)


def _interval(interval: Interval | None) -> list[float] | None:
    if interval is None:
        return None
    return [round(interval.low, PLACES), round(interval.high, PLACES)]


def build_ablation(ablation: Ablation) -> Document:
    """The tables: what each way reaches, what the default has over it, and what the filter did."""
    sections = [
        Section(
            title=f"{one.name}: {one.queries} queries, {one.notes} notes",
            blocks=(_table(one.measured, ablation.metric), _filter_table(one)),
        )
        for one in ablation.sets
    ]
    if ablation.pooled:
        sections.append(
            Section(title="All sets together", blocks=(_table(ablation.pooled, ablation.metric),))
        )
    return Document(
        title="Ablation",
        subtitle="Difference: the default (auto) minus the row, over the same queries; 95 % "
        "bootstrap interval; p of a randomisation test, Holm-corrected over the four peers and "
        "over the other rows.",
        sections=tuple(sections),
    )


def _table(measured: tuple[Measured, ...], metric: str) -> Table:
    rows = []
    for one in measured:
        comparison = one.comparison
        difference = interval = p = _DASH
        if comparison is not None and comparison.difference is not None:
            difference = f"{comparison.difference:+.4f}"
            if comparison.interval:
                interval = f"{comparison.interval.low:+.3f} {comparison.interval.high:+.3f}"
            value = comparison.p_adjusted
            p = _DASH if value is None else ("< .001" if value < 0.001 else f"{value:.3f}")
        average = _DASH if one.mean.value is None else f"{one.mean.value:.4f}"
        rows.append((one.name, average, difference, interval, p, one.says))
    return Table(
        columns=columns("way", f"#{metric}", "#difference", "#interval", "#p", "~what it is"),
        rows=tuple(rows),
    )


def _filter_table(one: SetAblation) -> Table:
    def share(value: float | None) -> str:
        return _DASH if value is None else f"{value:.3f}"

    return Table(
        title="The derived filter",
        columns=columns("mode", "#fires", "#routed right", "#relaxed", "#harmed", "#helped"),
        rows=tuple(
            (
                mode,
                share(account.fire_rate.value),
                share(account.route_accuracy.value),
                share(account.relaxed_rate.value),
                str(len(account.harmed)),
                str(len(account.helped)),
            )
            for mode, account in one.filters.items()
        ),
    )
