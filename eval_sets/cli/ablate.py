"""`lookup-knowledge eval ablate`: what each part of the ranking adds."""

import json
from contextlib import ExitStack
from pathlib import Path

import click

from eval_sets.cli.arguments import bring_up_to_date, find_set, json_option, open_notes


@click.command()
@click.argument("names", metavar="SET|FOLDER…", nargs=-1, required=True)
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="JSON file to write to."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the statistics.")
@click.option("--resamples", type=click.IntRange(min=100), help="Resamples: 10000.")
@json_option
def ablate(
    names: tuple[str, ...],
    *,
    out: Path | None,
    seed: int,
    resamples: int | None,
    as_json: bool,
) -> None:
    """Hold the default lookup against dense, BM25, RRF and min-max, and against itself without
    each part.

    One run for each set on the set's own notes: mean nDCG@10, the paired difference to the default
    with its interval and Holm-corrected p, and what the derived filter did.

    \b
    Examples:
      lookup-knowledge eval ablate starter
      lookup-knowledge eval ablate sets/handbook sets/manual --out ablation.json
    """
    from eval_sets.ablation import ablate as measure
    from eval_sets.ablation import ablation_to_json, build_ablation
    from eval_sets.report import print_document
    from eval_sets.statistics import DEFAULT_RESAMPLES
    from eval_sets.types import Variant
    from retrieval.atomic import write_atomic
    from retrieval.cli.common import emit, progress_bar

    with ExitStack() as stack:
        opened = []
        for name in names:
            eval_set = find_set(name)
            knowledge = stack.enter_context(open_notes(eval_set, None))
            bring_up_to_date(knowledge, (Variant(name="ablation"),))
            opened.append((eval_set, knowledge))
        with progress_bar() as progress:
            ablation = measure(
                opened, progress=progress, seed=seed, resamples=resamples or DEFAULT_RESAMPLES
            )
    document = ablation_to_json(ablation)
    if out is not None:
        write_atomic(out, json.dumps(document, ensure_ascii=False, indent=2) + "\n")
    if as_json:
        emit(document)
        return
    print_document(build_ablation(ablation))
    if out is not None:
        click.echo(f"Written: {out}")
