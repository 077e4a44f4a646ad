"""`lookup-knowledge eval experiment`: an experiment's file, run, kept and compared over time."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eval_sets.cli.arguments import find_own_folder, json_option
from retrieval.errors import InvalidInput

if TYPE_CHECKING:
    from eval_sets.experiments import Experiment, Outcome, StoredResult
    from retrieval.console import Page


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--history", is_flag=True, help="Show all kept results by time; run nothing.")
@click.option("--metric", help="Metric to show; default: the first of the file.")
@click.option("--again", is_flag=True, help="Run also what is there with equal fingerprints.")
@json_option
def experiment(
    file: Path, *, history: bool, metric: str | None, again: bool, as_json: bool
) -> None:
    """Run the sets and variants of the experiment FILE, a YAML or TOML file.

    Each result is kept with the fingerprints of set, notes, settings, index and code, and is not
    run again while they are equal: an interrupted run goes on where it stopped. Tables and charts
    are written beside the results.

    \b
    Examples:
      lookup-knowledge eval experiment experiment.yaml
      lookup-knowledge eval experiment experiment.yaml --history --metric MRR --json
    """
    from eval_sets.experiments import load_experiment, load_results, run_experiment, write_tables
    from eval_sets.experiments.history import check_charts, of_experiment, rows_of
    from retrieval.cli.common import emit, progress_bar
    from retrieval.console import Page

    given = load_experiment(file)
    shown = metric or given.about.metrics[0]
    if shown not in given.about.metrics:
        raise InvalidInput(
            f"The experiment has no metric {shown!r}.",
            next_action=f"Metrics: {', '.join(given.about.metrics)}.",
        )
    outcomes: list[Outcome] = []
    if not history:
        check_charts()  # before the queries are asked, and not after
        with progress_bar() as progress:
            found = run_experiment(
                given, find=lambda name: _find(given, name), again=again, progress=progress
            )
            for outcome in found:
                outcomes.append(outcome)
                if not as_json:
                    click.echo(_told(outcome, shown))
    stored, problems = load_results(given.results)
    for problem in problems:
        click.echo(f"Warning: {problem}", err=True)
    everything = of_experiment(given, stored)
    written: Sequence[Path] = ()
    if outcomes:
        written = write_tables(given.results, [o.result for o in outcomes], everything, shown)
    if as_json:
        rows = list(rows_of(everything if history else [o.result for o in outcomes]))
        kept = [str(o.path) for o in outcomes if o.kept]
        emit({"experiment": given.about.name, "rows": rows, "kept": kept})
        return
    if history:
        _show_history(everything, shown, Page())
    for path in written:
        click.echo(f"Written: {path}")


def _find(given: "Experiment", name: str) -> Path:
    """A folder from the file on, else a set by its name."""
    beside = given.path.parent / name
    return beside if (beside / "set.yaml").is_file() else find_own_folder(name)


def _told(outcome: "Outcome", metric: str) -> str:
    result = outcome.result
    state = f"kept from {result.created_at}" if outcome.kept else "run"
    return f"{result.set}  {result.variant}  {_figure(result, metric)}  {state}"


def _figure(result: "StoredResult", metric: str) -> str:
    figures = result.metrics.get(metric)
    if figures is None or figures.value is None:
        return f"{metric} –"
    spread = ""
    if figures.low is not None and figures.high is not None:
        spread = f" [{figures.low:.3f}, {figures.high:.3f}]"
    return f"{metric} {figures.value:.4f}{spread}, n={figures.n}"


def _show_history(results: "Sequence[StoredResult]", metric: str, page: "Page") -> None:
    from eval_sets.experiments.history import changed_since

    if not results:
        page.line("There is no result yet; run the experiment without --history.")
    groups: dict[tuple[str, str], list[StoredResult]] = {}
    for result in results:
        groups.setdefault((result.set, result.variant), []).append(result)
    for (set_name, variant), of_group in groups.items():
        page.line((f"{set_name}  {variant}", "bold"))
        before: StoredResult | None = None
        for result in of_group:
            changed = ", ".join(changed_since(before, result)) if before else "first"
            text = (
                f"{result.created_at}  {_figure(result, metric)}  changed: {changed or 'nothing'}"
            )
            page.line(text, indent=2, hang=4)
            before = result
        page.blank()
