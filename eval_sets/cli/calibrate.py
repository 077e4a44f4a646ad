"""`lookup-knowledge eval calibrate`: thresholds of relevance for one index."""

from pathlib import Path

import click

from eval_sets.cli.arguments import (
    bring_up_to_date,
    find_set,
    notes_options,
    open_notes,
    set_argument,
)


@click.command()
@set_argument
@click.option("--dry-run", is_flag=True, help="Report, but store nothing.")
@click.option("--no-cache", is_flag=True, help="Ask again what was asked before.")
@click.option("--seed", type=int, default=0, show_default=True)
@notes_options
def calibrate(
    name: str, *, dry_run: bool, no_cache: bool, seed: int, kb: Path | None, as_json: bool
) -> None:
    """Find thresholds of relevance on the split dev, and report what they do on test.

    They are stored with the index and hold from the next lookup on. Too few labelled queries with
    or without an answer are refused.

    \b
    Examples:
      lookup-knowledge eval calibrate starter
      lookup-knowledge eval calibrate sets/handbook --kb handbook --dry-run --json
    """
    from eval_sets.calibrating import calibrate_index
    from eval_sets.report import build_calibration, calibration_to_json, print_document
    from eval_sets.types import Variant
    from retrieval.cli.common import emit, progress_bar

    eval_set = find_set(name, kb)
    with open_notes(eval_set, kb) as knowledge:
        bring_up_to_date(knowledge, (Variant(name="calibration"),))
        with progress_bar() as progress:
            report = calibrate_index(
                eval_set,
                knowledge,
                store=not dry_run,
                progress=progress,
                cache=not no_cache,
                seed=seed,
            )
    if as_json:
        emit(calibration_to_json(report))
        return
    print_document(build_calibration(report))
