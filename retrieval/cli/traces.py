"""`lookup-knowledge traces`: the recorded lookups."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from retrieval.cli.common import MOST_RECORDS, Utf8Text, emit, open_knowledge, shared_options
from retrieval.cli.group import OpenGroup
from retrieval.cli.prune import prune
from retrieval.cli.when import parse_when
from retrieval.errors import InvalidInput, RecordError
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


traces.add_command(prune)


@traces.command("list")
@click.option("--limit", type=click.IntRange(1, MOST_RECORDS), default=20, show_default=True)
@click.option("--outcome", type=click.Choice(get_args(Outcome)), help="Only this outcome.")
@click.option(
    "--layer",
    type=click.Choice((*get_args(Layer), "none")),
    help="Only what this layer answered; none: without evidence.",
)
@click.option("--text", type=Utf8Text(), help="Only queries that hold this text.")
@click.option("--since", metavar="WHEN", help="Not before this: 12h, 7d, 2w, or a date (UTC).")
@click.option("--until", metavar="WHEN", help="Before this.")
@shared_options
def list_(
    kb: Path | None, as_json: bool, since: str | None, until: str | None, **conditions: Any
) -> None:
    """List recorded lookups, newest first.

    \b
    Examples:
      lookup-knowledge traces list --limit 50 --since 7d
      lookup-knowledge traces list --outcome no_evidence --text refund --json
    """
    span = _span(since, until)
    with open_knowledge(kb) as knowledge:
        store = knowledge.records()
        _store_spooled(store)
        found = store.list(**conditions, **span)
    if as_json:
        rows = [trace.to_dict() for trace in found]
        for row in rows:
            del row["retrieval_details"]
        emit({"traces": rows})
        return
    from retrieval.console import Page, show_trace_list

    show_trace_list(found, Page())


@traces.command()
@click.argument("id", type=Utf8Text())
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


@traces.command("replay")
@click.argument("ids", metavar="[ID]...", nargs=-1, type=Utf8Text())
@click.option("--outcome", type=click.Choice(get_args(Outcome)), help="Only this outcome.")
@click.option("--since", metavar="WHEN", help="Not before this: 12h, 7d, 2w, or a date (UTC).")
@click.option("--until", metavar="WHEN", help="Before this.")
@click.option("--limit", type=click.IntRange(1, MOST_RECORDS), default=50, show_default=True)
@shared_options
def replay_(
    ids: tuple[str, ...],
    since: str | None,
    until: str | None,
    kb: Path | None,
    as_json: bool,
    **conditions: Any,
) -> None:
    """Run recorded lookups again and show what comes out otherwise.

    The recorded queries and arguments are looked up in the notes as they are now, with today's
    settings. Without an ID: the newest that fit. Nothing is recorded.

    \b
    Examples:
      lookup-knowledge traces replay 3f2a9c1e
      lookup-knowledge traces replay --since 7d --limit 100
      lookup-knowledge traces replay --outcome no_evidence --json
    """
    from retrieval.replay import replay

    span = _span(since, until)
    if ids and (conditions["outcome"] or span):
        raise InvalidInput(
            "Ids and conditions are given at once.",
            next_action="Name ids, or --outcome, --since and --until.",
        )
    with open_knowledge(kb) as knowledge:
        store = knowledge.records()
        _store_spooled(store)
        found = [store.get(id) for id in ids] if ids else store.list(**conditions, **span)
        done = replay(knowledge, found)
    if as_json:
        emit(done.to_dict())
        return
    from retrieval.console import Page
    from retrieval.console.replayed import show_replay

    show_replay(done, Page())


def _span(since: str | None, until: str | None) -> dict[str, Any]:
    given = {"since": since, "until": until}
    return {
        name: parse_when(text, option=f"--{name}")
        for name, text in given.items()
        if text is not None
    }


def _store_spooled(store: "InvocationStore") -> None:
    """What waits should be listed too; where it cannot be stored, the rest still can be read."""
    try:
        store.flush_spool()
    except RecordError as error:
        click.echo(f"Warning: {error}", err=True)
