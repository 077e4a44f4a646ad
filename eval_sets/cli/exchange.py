"""`lookup-knowledge eval import` and `export`: sets in the forms of other tools."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from eval_sets.cli.arguments import find_set, json_option, set_argument

if TYPE_CHECKING:
    from eval_sets.exporting import Form

_FORMS = ("beir", "trec", "ranx", "csv")
_SHOWN = 10


@click.command("import")
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("target", type=click.Path(path_type=Path))
@click.option("--name", help="Name of the set; default: the folder's name.")
@json_option
def import_(folder: Path, target: Path, name: str | None, as_json: bool) -> None:
    """Make a labelled set in TARGET from the BEIR folder FOLDER.

    It holds queries.jsonl, qrels.tsv or qrels/, and either corpus.jsonl or a folder `knowledge`
    with notes.

    \b
    Examples:
      lookup-knowledge eval import scifact sets/scifact
      lookup-knowledge eval import handbook-beir sets/handbook --name handbook --json
    """
    from dataclasses import asdict

    from eval_sets.interchange import import_beir
    from retrieval.cli.common import emit

    report = import_beir(folder, target, name=name)
    if as_json:
        emit(asdict(report) | {"folder": str(report.folder)})
        return
    from retrieval.console import Page

    page = Page()
    page.line(
        (str(report.folder), "bold"),
        f": {report.notes} notes, {report.cases} queries, {report.labels} labels",
    )
    if report.unlabelled:
        page.line(f"{len(report.unlabelled)} queries without a label were left out.", hang=2)
    for problem in report.dropped[:_SHOWN]:
        page.line(("left out: ", "yellow"), str(problem), hang=2)
    if len(report.dropped) > _SHOWN:
        page.line(f"and {len(report.dropped) - _SHOWN} more; --json lists all")
    page.line(f"Next: lookup-knowledge eval run {report.folder}")


@click.command()
@set_argument
@click.argument("target", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMS),
    default="beir",
    show_default=True,
    help="Form to write.",
)
@click.option(
    "--report",
    "report_path",
    type=click.Path(path_type=Path),
    help="Write the rankings of this report as well (trec, ranx, csv).",
)
@json_option
def export(name: str, target: Path, form: "Form", report_path: Path | None, as_json: bool) -> None:
    """Write a labelled set into the folder TARGET for another tool.

    \b
    Examples:
      lookup-knowledge eval export starter out/beir
      lookup-knowledge eval export starter out/trec --format trec --report out/report.json --json
    """
    from eval_sets.exporting import export_set
    from eval_sets.report import load_report
    from retrieval.cli.common import emit

    report = None if report_path is None else load_report(report_path)
    written = [str(path) for path in export_set(find_set(name), target, form, report=report)]
    if as_json:
        emit({"files": written})
        return
    for path in written:
        click.echo(path)
