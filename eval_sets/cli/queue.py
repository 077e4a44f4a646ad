"""`lookup-knowledge eval queue`: what to judge to settle a comparison."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eval_sets.cli.arguments import (
    bring_up_to_date,
    find_set,
    notes_options,
    open_notes,
    set_argument,
    split_variants,
)
from retrieval.errors import InvalidInput

if TYPE_CHECKING:
    from eval_sets.labelling.queue import Queue
    from retrieval.console import Page


@click.command()
@set_argument
@click.option(
    "--variants", default="l0,l0+l1", show_default=True, help="The two to decide between."
)
@click.option("--metric", default="nDCG@10", show_default=True)
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True)
@notes_options
def queue(
    name: str, *, variants: str, metric: str, limit: int, kb: Path | None, as_json: bool
) -> None:
    """List the unjudged notes that could still decide between two variants.

    Those whose judgement would move the difference most stand first. Judge them with `eval judge`.

    \b
    Examples:
      lookup-knowledge eval queue starter --variants l1,l0+l1
      lookup-knowledge eval queue sets/handbook --variants l0+l1,l0+l1:filter=off --json
    """
    from eval_sets.harness import run
    from eval_sets.labelling import grade_scale
    from eval_sets.labelling.queue import judge_queue
    from eval_sets.variants import parse_variant
    from retrieval.cli.common import emit, progress_bar

    chosen = [parse_variant(text) for text in split_variants(variants)]
    if len(chosen) != 2:
        raise InvalidInput(
            f"--variants names {len(chosen)} variants; a queue decides between two.",
            next_action="Write it as in l1,l0+l1:filter=strict.",
        )
    eval_set = find_set(name, kb)
    with open_notes(eval_set, kb) as knowledge:
        bring_up_to_date(knowledge, chosen)
        with progress_bar() as progress:
            report = run(
                eval_set,
                knowledge,
                chosen,
                metrics=[metric],
                faults=(),
                resamples=100,
                progress=progress,
            )
    grade = grade_scale(eval_set.folder)["relevant"]
    found = judge_queue(report, grade=grade)
    if as_json:
        emit(_document(found, limit))
        return
    from retrieval.console import Page

    _show(found, limit, Page())


def _document(found: "Queue", limit: int) -> dict[str, object]:
    return {
        "variants": list(found.variants),
        "metric": found.metric,
        "grade": found.grade,
        "difference": found.difference,
        "queries": found.queries,
        "could_flip": found.could_flip,
        "unjudged": len(found.items),
        "items": [
            {
                "id": item.case.id,
                "query": item.case.query,
                "source": item.source,
                "ranks": list(item.ranks),
                "now": item.now,
                "then": item.then,
                "swing": item.swing,
                "judged": sorted(asdict(item.case)["relevant"]),
            }
            for item in found.items[:limit]
        ],
    }


def _show(found: "Queue", limit: int, page: "Page") -> None:
    first, second = found.variants
    if found.difference is None:
        page.line("No query has a label yet.")
    else:
        page.line(
            f"{found.metric}: {second} minus {first} is {found.difference:+.4f} over "
            f"{found.queries} labelled queries."
        )
        page.line(
            "One judgement a query could turn it around."
            if found.could_flip
            else "One judgement a query would not turn it around."
        )
    page.line(f"{len(found.items)} unjudged notes make a difference; grade {found.grade} supposed.")
    for item in found.items[:limit]:
        page.blank()
        page.line((f"{item.then - item.now:+.3f}", "bold"), f"  {item.source}", hang=2)
        ranks = " and ".join(
            f"{rank or 'not found'} in {name}"
            for name, rank in zip(found.variants, item.ranks, strict=True)
        )
        page.line(f"{item.case.id}  {item.case.query}", indent=8, hang=2)
        page.line(f"rank {ranks}", indent=8, hang=2)
