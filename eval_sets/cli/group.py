"""The group of the evaluation commands."""

import click

from eval_sets.cli.ablate import ablate
from eval_sets.cli.calibrate import calibrate
from eval_sets.cli.compare import compare
from eval_sets.cli.exchange import export, import_
from eval_sets.cli.experiment import experiment
from eval_sets.cli.judging import create, judge
from eval_sets.cli.listing import list_
from eval_sets.cli.no_answer import no_answer
from eval_sets.cli.preview import preview
from eval_sets.cli.queue import queue
from eval_sets.cli.relabel import relabel
from eval_sets.cli.run import run
from eval_sets.cli.suggest import suggest


@click.group(
    "eval",
    commands={
        c.name or "": c
        for c in (
            run,
            compare,
            calibrate,
            no_answer,
            import_,
            export,
            list_,
            create,
            judge,
            preview,
            suggest,
            relabel,
            queue,
            experiment,
            ablate,
        )
    },
    epilog="Example:\n\n  lookup-knowledge eval run starter --variants l0,l1,l0+l1",
)
def evaluate() -> None:
    """Measure lookups on labelled queries, and tell differences from noise."""
