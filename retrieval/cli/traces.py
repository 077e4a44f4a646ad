"""`lookup-knowledge traces`: the recorded lookups."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from retrieval.cli.common import emit, open_knowledge, shared_options
from retrieval.cli.group import OpenGroup
from retrieval.errors import RecordError
from retrieval.types import Layer, Outcome

if TYPE_CHECKING:
    from retrieval.records import InvocationStore


@click.group(
    cls=OpenGroup,
    inside="traces",
    epilog="Example:\n\n  lookup-knowledge traces list --outcome fallback",
)
def traces() -> None:
    """See what was looked up, and how it was answered."""


@traces.command("list")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True)
@click.option("--outcome", type=click.Choice(get_args(Outcome)), help="Only this outcome.")
@click.option(
    "--layer",
    type=click.Choice((*get_args(Layer), "none")),
    help="Only what this layer answered; none: without evidence.",
)
@click.option("--text", help="Only queries that hold this text.")
@shared_options
def list_(kb: Path | None, as_json: bool, **conditions: Any) -> None:
    """List recorded lookups, newest first.

    \b
    Examples:
      lookup-knowledge traces list --limit 50
      lookup-knowledge traces list --outcome no_evidence --text refund --json
    """
    with open_knowledge(kb) as knowledge:
        store = knowledge.records()
        _store_spooled(store)
        found = store.list(**conditions)
    if as_json:
        rows = [trace.to_dict() for trace in found]
        for row in rows:
            del row["retrieval_details"]
        emit({"traces": rows})
        return
    from retrieval.console import Page, show_trace_list

    show_trace_list(found, Page())


@traces.command()
@click.argument("id")
@shared_options
def show(id: str, kb: Path | None, as_json: bool) -> None:
    """Show the recorded lookup ID, which may be shortened.

    \b
    Examples:
      lookup-knowledge traces show 3f2a9c1e
      lookup-knowledge traces show 3f2a9c1e --json
    """
    with open_knowledge(kb) as knowledge:
        store = knowledge.records()
        _store_spooled(store)
        trace = store.get(id)
    if as_json:
        emit(trace.to_dict())
        return
    from retrieval.console import Page, show_trace

    show_trace(trace, Page())


def _store_spooled(store: "InvocationStore") -> None:
    """What waits should be listed too; where it cannot be stored, the rest still can be read."""
    try:
        store.flush_spool()
    except RecordError as error:
        click.echo(f"Warning: {error}", err=True)
