"""`lookup-knowledge eval no-answer`: does confidence tell answers from their absence?"""

import json
from contextlib import ExitStack
from pathlib import Path

import click

from eval_sets.cli.arguments import bring_up_to_date, find_set, json_option, open_notes
from retrieval.errors import InvalidInput


@click.command("no-answer")
@click.argument("names", metavar="SET|FOLDER...", nargs=-1, required=True)
@click.option(
    "--queries",
    type=click.IntRange(min=2),
    default=100,
    show_default=True,
    help="Queries of each kind to ask of each set, at most.",
)
@click.option("--out", type=click.Path(path_type=Path), help="JSON file to write the figures to.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of draws and intervals.")
@json_option
def no_answer(
    names: tuple[str, ...], *, queries: int, out: Path | None, seed: int, as_json: bool
) -> None:
    """Ask each set its own queries, then without the notes that answer them, and the others'.

    The report says how far the confidence of the answered ones stands above that of both others
    (AUROC), beside the similarity of the best passage alone, and what each threshold costs. With
    two sets and more, also for weights that were fitted on the other sets. No note is embedded
    for it, and no file of a set is touched.

    \b
    Examples:
      lookup-knowledge eval no-answer starter
      lookup-knowledge eval no-answer sets/govuk-dev sets/opensearch --queries 200 --json
    """
    from eval_sets.answerability import ask_answerable, fit_weights, measure
    from eval_sets.report import answerability_to_json, build_answerability, print_document
    from eval_sets.types import Variant
    from retrieval.atomic import write_atomic
    from retrieval.cli.common import emit, progress_bar

    sets = [find_set(name) for name in names]
    called = [one.name for one in sets]
    if again := next((name for name in called if called.count(name) > 1), None):
        raise InvalidInput(
            f"Two of the sets are named {again!r}.",
            next_action="Name each set once; `name` in set.yaml tells them apart.",
        )
    asked = []
    for one in sets:
        with ExitStack() as stack:
            knowledge = stack.enter_context(open_notes(one, None))
            bring_up_to_date(knowledge, (Variant(name="no answer"),))
            progress = stack.enter_context(progress_bar())
            others = [other for other in sets if other is not one]
            asked.append(
                ask_answerable(
                    one, knowledge, others, queries=queries, seed=seed, progress=progress
                )
            )
    accounts = measure(asked, seed=seed)
    figures = answerability_to_json(accounts, fit_weights(asked), seed=seed)
    if out is not None:
        write_atomic(out, json.dumps(figures, indent=2, allow_nan=False) + "\n")
    if as_json:
        emit(figures)
        return
    print_document(build_answerability(accounts))
    if out is not None:
        click.echo(f"Written: {out}")
