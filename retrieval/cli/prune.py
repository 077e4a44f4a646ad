"""`lookup-knowledge traces prune`: delete old records."""

import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from retrieval.cli.common import MOST_RECORDS, emit, open_knowledge, shared_options
from retrieval.errors import InvalidInput

_AGE = re.compile(r"(\d{1,6})\s*([hdw])")
_HOURS = {"h": 1, "d": 24, "w": 7 * 24}
LONGEST_HOURS = 1000 * 365 * 24


@click.command()
@click.option("--older-than", metavar="AGE", help="Delete what is older: 12h, 30d or 8w.")
@click.option(
    "--keep", type=click.IntRange(0, MOST_RECORDS), help="Delete all but this many of the newest."
)
@click.option("--dry-run", is_flag=True, help="Only say how many would go.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@shared_options
def prune(
    *,
    older_than: str | None,
    keep: int | None,
    dry_run: bool,
    yes: bool,
    kb: Path | None,
    as_json: bool,
) -> None:
    """Delete old records. With both limits a record goes when either says so.

    \b
    Examples:
      lookup-knowledge traces prune --older-than 30d --dry-run
      lookup-knowledge traces prune --older-than 8w --keep 100000 --yes
    """
    before = None if older_than is None else datetime.now(UTC) - parse_age(older_than)
    with open_knowledge(kb) as knowledge:
        store = knowledge.records()
        store.flush_spool()  # what waits is subject to the same limits
        count = store.prune(before, keep, dry_run=True)
        deleted = 0
        if count and not dry_run:
            _confirm(count, yes=yes, as_json=as_json)
            deleted = store.prune(before, keep)
        left = store.count()
    if as_json:
        emit({"matched": count, "deleted": deleted, "left": left, "dry_run": dry_run})
    elif dry_run:
        click.echo(f"{_records(count)} would be deleted, {left - count} left.")
    else:
        click.echo(f"{_records(deleted)} deleted, {left} left.")


def parse_age(text: str) -> timedelta:
    """The age that `12h`, `30d` or `8w` names. Raises `InvalidInput`."""
    parts = _AGE.fullmatch(text.strip().lower())
    if parts:
        hours = int(parts[1]) * _HOURS[parts[2]]
        if hours <= LONGEST_HOURS:
            return timedelta(hours=hours)
    raise InvalidInput(
        f"'{text}' is no age.", next_action="Write a number and h, d or w, such as 30d."
    )


def _confirm(count: int, *, yes: bool, as_json: bool) -> None:
    if yes:
        return
    if as_json or not sys.stdin.isatty():
        raise InvalidInput(
            f"{_records(count)} would be deleted, and nobody can be asked.",
            next_action="Add --yes, or see with --dry-run.",
        )
    click.confirm(f"Delete {_records(count)} for good?", abort=True, err=True)


def _records(count: int) -> str:
    return f"{count} {'record' if count == 1 else 'records'}"
