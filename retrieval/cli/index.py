"""`lookup-knowledge index`: bring the index up to date."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from retrieval.cli.common import emit, open_knowledge, progress_bar, shared_options
from retrieval.types import Json

if TYPE_CHECKING:
    from retrieval.semantic.build import IndexReport


@click.command()
@click.option("--full", is_flag=True, help="Build everything anew.")
@shared_options
def index(full: bool, kb: Path | None, as_json: bool) -> None:
    """Bring the index up to date with the notes.

    Only what changed is embedded. Files that cannot be read are listed, the others are indexed.

    \b
    Examples:
      lookup-knowledge index
      lookup-knowledge index --kb handbook --full --json
    """
    with open_knowledge(kb) as knowledge, progress_bar() as progress:
        report = knowledge.reindex(full=full, progress=progress)
    if as_json:
        emit(report_to_dict(report))
    else:
        _show(report)


def report_to_dict(report: "IndexReport") -> dict[str, Json]:
    """The report as JSON-safe values; `issues` are those of the load."""
    from dataclasses import asdict

    data = asdict(report)
    data["issues"] = list(data.pop("report")["issues"])
    return data


def _show(report: "IndexReport") -> None:
    from retrieval.console import Page

    page = Page()
    total = report.added + report.updated + report.unchanged
    page.line(
        (f"{total} {'note' if total == 1 else 'notes'}", "bold"),
        f", {report.passages} passages: {report.added} added, {report.updated} updated, "
        f"{report.deleted} deleted, {report.unchanged} unchanged; "
        f"{report.embedded} texts embedded in {report.seconds:.1f} s",
    )
    if report.resumed:
        page.line(f"{report.resumed} more texts an earlier run had embedded", hang=2)
    if report.rebuilt_because:
        page.line(f"Built anew: {report.rebuilt_because}", hang=2)
    for issue in report.report.errors:
        page.line(("error: ", "red"), str(issue), hang=2)
    warnings = len(report.report.warnings)
    if warnings:
        page.line(
            f"{warnings} load {'warning' if warnings == 1 else 'warnings'}; these, and what else "
            "to correct: lookup-knowledge lint",
            hang=2,
        )
