"""`lookup-knowledge traces export`: recorded queries as candidates to judge."""

import json
from pathlib import Path

import click

from retrieval.cli.common import emit, open_knowledge, shared_options
from retrieval.cli.when import parse_when
from retrieval.errors import RecordError


@click.command()
@click.argument("target", type=click.Path(path_type=Path), required=False)
@click.option(
    "--set", "set_name", help="Labelled set whose judged queries are left out; others are marked."
)
@click.option("--since", metavar="WHEN", help="Not before this: 12h, 7d, 2w, or a date (UTC).")
@click.option("--limit", type=click.IntRange(min=1), help="Candidates at most; default: all.")
@shared_options
def export(
    target: Path | None,
    *,
    set_name: str | None,
    since: str | None,
    limit: int | None,
    kb: Path | None,
    as_json: bool,
) -> None:
    """Write the recorded queries to TARGET as candidates to judge, one JSON line each.

    Queries that fold alike are one candidate, the most asked first, with the calls it comes from.
    A candidate has no label: what was shown is not thereby relevant. Judge with `eval judge`.

    \b
    Examples:
      lookup-knowledge traces export candidates.jsonl --kb notes
      lookup-knowledge traces export --set starter --limit 50 --json
    """
    from eval_sets.cli.arguments import find_own_folder
    from eval_sets.errors import Problem
    from eval_sets.labelling.candidates import find_candidates
    from eval_sets.loading import CASES_NAME, read_cases
    from retrieval.atomic import write_atomic

    known = []
    if set_name is not None:
        problems: list[Problem] = []
        folder = find_own_folder(set_name, kb)
        known = [case for _, case in read_cases(folder / CASES_NAME, problems)]
        for problem in problems:
            click.echo(f"Warning: {problem}", err=True)
    with open_knowledge(kb) as knowledge:
        store = knowledge.records()
        try:
            store.flush_spool()
        except RecordError as error:
            click.echo(f"Warning: {error}", err=True)
        calls = store.list(limit=None, since=parse_when(since, option="--since") if since else None)
    found = find_candidates(calls, known, unjudged_only=True)[:limit]
    rows = [candidate.to_dict() for candidate in found]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    if target is not None:
        write_atomic(target, lines)
    if as_json:
        emit({"calls": len(calls), "candidates": rows, "file": str(target) if target else None})
    elif target is not None:
        click.echo(f"{len(rows)} queries of {len(calls)} calls: {target}")
    else:
        click.echo(lines, nl=False)
