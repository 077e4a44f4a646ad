"""The last part of a report: queries that went wrong, latency, and how to repeat the run."""

import json

import numpy as np

from eval_sets.report.document import Block, Section, Table, columns
from eval_sets.report.figures import latency_figure
from eval_sets.report.wording import name_of, number
from eval_sets.results import Report

MOST_ROWS = 40


def failures(report: Report) -> Section | None:
    """The queries that failed or found nothing although a note is relevant."""
    cases = report.cases_by_id
    listed = [
        row
        for row in sorted(report.rows, key=lambda row: row.status != "failed")
        if row.status == "failed" or (row.status == "zero_result" and cases[row.case_id].positives)
    ]
    if not listed:
        return None
    table = Table(
        columns=columns("query id", "variant", "status", "~query", "~error"),
        rows=tuple(
            (
                row.case_id,
                row.variant,
                "failed" if row.status == "failed" else "nothing found",
                cases[row.case_id].query,
                row.error.message if row.error else "",
            )
            for row in listed[:MOST_ROWS]
        ),
    )
    more = len(listed) - MOST_ROWS
    tail: tuple[Block, ...] = (f"and {more} more, in the rows.",) if more > 0 else ()
    return Section(
        title="Failed, or nothing found",
        blocks=("Each of them counts as 0 in the means above.", table, *tail),
    )


def latency(report: Report) -> Section | None:
    """How long the lookups took."""
    measured = {
        variant.name: [r.latency_ms for r in report.of_variant(variant.name) if r.latency_ms]
        for variant in report.variants
    }
    measured = {name: values for name, values in measured.items() if values}
    if not measured:
        return None
    blocks: list[Block] = [
        Table(
            columns=columns("variant", "#median ms", "#95th percentile ms", "#longest ms"),
            rows=tuple(
                (
                    name,
                    number(float(np.quantile(values, 0.5)), 1),
                    number(float(np.quantile(values, 0.95)), 1),
                    number(max(values), 1),
                )
                for name, values in measured.items()
            ),
        ),
        latency_figure(measured),
    ]
    if report.workers > 1:
        blocks.insert(0, f"With {report.workers} lookups at once, which slow each other down.")
    if report.cached:
        blocks.insert(0, f"Measured by an earlier run: {', '.join(report.cached)}.")
    return Section(title="Latency", blocks=tuple(blocks))


def provenance(report: Report) -> Section:
    """What has to be the same for the same numbers."""
    facts = {
        "set": f"{report.set_name} {report.set_digest}",
        "queries": f"{len(report.cases)} ({report.split or 'all splits'})",
        "compared against": report.baseline or "nothing",
        "seed": str(report.seed),
        "resamples": str(report.resamples),
        "made": report.created_at,
        **{f"digest of {name}": value for name, value in report.digests.items()},
        **{f"version of {name}": value for name, value in report.versions.items()},
        **{
            f"settings of {variant.name}": json.dumps(
                dict(variant.settings), ensure_ascii=False, sort_keys=True
            )
            + (f", fault {variant.fault}" if variant.fault else "")
            for variant in report.variants
        },
        "strata": ", ".join(
            f"{name_of(stratum)} {sum(case.stratum == stratum for case in report.cases)}"
            for stratum in report.strata
        ),
    }
    return Section(
        title="To repeat it",
        blocks=(
            Table(
                columns=columns("what", "~value"),
                rows=tuple((name, value) for name, value in facts.items() if value),
            ),
        ),
    )
