"""A baseline: what a report was, in a file that stays small and shows its changes in a diff."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from eval_sets.contract import as_expected
from eval_sets.results import Report
from eval_sets.rows import mean
from eval_sets.schema import explain
from eval_sets.types import Case, Row, Split
from retrieval.atomic import write_atomic
from retrieval.errors import InvalidInput
from retrieval.reading import read_regular

GATED_METRICS = ("nDCG@10", "recall@10", "MRR")
"""What a baseline keeps of each query, where the report has it; else the report's first metric."""
L0_MATCHED = "l0.matched"
"""1 when a relevant note is among the L0 matches: the first thing that a lost keyword costs."""
FILTER_AS_EXPECTED = "filter.as_expected"
BY_QUERY = (L0_MATCHED, FILTER_AS_EXPECTED)
"""Figures of the contract that every query has for itself, where L0 was asked."""
UPDATE = "Write a new one with --update-baseline, and say in the change why."
_DIGITS = 4


class VariantBaseline(BaseModel):
    """What one variant was."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    means: dict[str, float | None]
    """For readers; the gate compares `values`."""
    figures: dict[str, float]
    """Figures of the contract, higher is better."""
    values: dict[str, list[float | None]]
    """Metric → score of each case, in the order of `cases`."""


class Baseline(BaseModel):
    """What a report was, in a file that stays small."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_version: Literal["1"] = "1"
    set_name: str
    set_digest: str
    split: Split | None
    created_at: str
    digests: dict[str, str]
    versions: dict[str, str]
    cases: list[str]
    variants: dict[str, VariantBaseline]


def baseline_of(report: Report) -> Baseline:
    """What a later report is to be held against."""
    return Baseline(
        set_name=report.set_name,
        set_digest=report.set_digest,
        split=report.split,
        created_at=report.created_at,
        digests=dict(report.digests),
        versions=dict(report.versions),
        cases=[case.id for case in report.cases],
        variants={variant.name: _variant(report, variant.name) for variant in report.variants},
    )


def _variant(report: Report, name: str) -> VariantBaseline:
    gated = [metric for metric in GATED_METRICS if metric in report.metrics] or report.metrics[:1]
    scores = {metric: report.values[name][metric] for metric in gated}
    scores |= _by_query(report.of_variant(name), report.cases_by_id)
    return VariantBaseline(
        means={metric: _round(mean(values.values()).value) for metric, values in scores.items()},
        figures={key: round(value, _DIGITS) for key, value in _figures(report, name).items()},
        values={
            metric: [_round(values.get(case.id)) for case in report.cases]
            for metric, values in scores.items()
        },
    )


def _by_query(
    rows: Sequence[Row], cases: Mapping[str, Case]
) -> dict[str, Mapping[str, float | None]]:
    """The figures of `BY_QUERY`; none where L0 found nothing in any query, as when it is off."""
    if not any(row.l0_matches for row in rows):
        return {}
    return {
        L0_MATCHED: {row.case_id: _matched(row, cases[row.case_id]) for row in rows},
        FILTER_AS_EXPECTED: {row.case_id: as_expected(row, cases[row.case_id]) for row in rows},
    }


def _matched(row: Row, case: Case) -> float | None:
    return float(not case.positives.keys().isdisjoint(row.l0_sources)) if case.positives else None


def save_baseline(path: Path, baseline: Baseline) -> None:
    """Writes the baseline in one step, each list in one line."""
    text = json.dumps(baseline.model_dump(mode="json"), indent=2, ensure_ascii=False)
    # A string of JSON holds no line break, so these are brackets of lists.
    lists = re.compile(r"\[\n\s*([^\[\]{}]*?)\n\s*\]")
    write_atomic(path, lists.sub(lambda m: "[" + re.sub(r"\n\s*", " ", m[1]) + "]", text) + "\n")


def load_baseline(path: Path) -> Baseline:
    """The baseline in a file. Raises `InvalidInput` when it is none."""
    try:
        baseline = Baseline.model_validate_json(read_regular(path))
    except ValidationError as error:  # a `ValueError` too
        raise InvalidInput(
            f"{path} is no baseline: {explain(error)}.", next_action=UPDATE
        ) from error
    except ValueError as error:
        raise InvalidInput(
            f"The baseline {path} cannot be read: {error}.", next_action=UPDATE
        ) from error
    lengths = {len(values) for v in baseline.variants.values() for values in v.values.values()}
    if lengths - {len(baseline.cases)}:
        raise InvalidInput(
            f"{path} is no baseline: it has {len(baseline.cases)} cases and another number of "
            "scores.",
            next_action=UPDATE,
        )
    return baseline


def _figures(report: Report, variant: str) -> dict[str, float]:
    """Figures of the contract that may move, higher is better; those without a value left out."""
    found: dict[str, float | None] = {"l1.answered": _l1_answered(report.of_variant(variant))}
    if account := report.filters.get(variant):
        found["filter.route_accuracy"] = account.route_accuracy.value
        found["filter.change"] = account.change.value
    if separation := report.no_answer.get(variant):
        found["no_answer.auroc"] = separation.auroc
        found["no_answer.told"] = _rest(separation.false_answer.value)
        found["no_answer.answered"] = _rest(separation.false_empty.value)
    for fault in report.faults:
        if fault.variant == variant:
            found[f"fallback.quality.{fault.profile}"] = fault.quality.value
    return {name: value for name, value in found.items() if value is not None}


def _l1_answered(rows: Sequence[Row]) -> float | None:
    """Share of the rows whose L1 came back; None where it was not to be asked."""
    asked = [row for row in rows if row.l1_status != "disabled"]
    if not asked:
        return None
    return sum(row.l1_status in ("ok", "empty") for row in asked) / len(asked)


def _rest(share: float | None) -> float | None:
    return None if share is None else 1 - share


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)
