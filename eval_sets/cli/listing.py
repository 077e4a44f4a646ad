"""`lookup-knowledge eval list`: the bundled sets, and those of the knowledge base."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from retrieval.cli.common import shared_options
from retrieval.types import Json

if TYPE_CHECKING:
    from eval_sets.labelling import SetSummary
    from retrieval.console import Page
    from retrieval.knowledge_base import KnowledgeBase


@click.command("list")
@shared_options
def list_(kb: Path | None, as_json: bool) -> None:
    """List the bundled labelled sets, and those that judge the notes of --kb.

    \b
    Examples:
      lookup-knowledge eval list
      lookup-knowledge eval list --kb notes --json
    """
    from retrieval.cli.common import emit, open_knowledge

    with open_knowledge(kb) as knowledge:
        rows = _rows(knowledge)
    if as_json:
        emit({"sets": rows})
        return
    from retrieval.console import Page

    page = Page()
    for row in rows:
        _show(row, page)


def _rows(knowledge: "KnowledgeBase") -> list[dict[str, Json]]:
    """Every bundled set, or its copy, and the sets of the knowledge base, by name."""
    from eval_sets.labelling.places import copy_of, list_sets, summarise
    from eval_sets.sets import bundled_sets

    folders = [copy_of(folder) for folder in bundled_sets().values()]
    own = {summary.folder: summary for summary in list_sets(knowledge)}
    found = {folder: summarise(folder) for folder in folders} | own
    return [_row(summary) for summary in sorted(found.values(), key=lambda one: one.name)]


def _row(summary: "SetSummary") -> dict[str, Json]:
    from eval_sets.errors import SetError
    from eval_sets.loading import find_sources, load_set

    row: dict[str, Json] = {
        "name": summary.name,
        "folder": str(summary.folder),
        "bundled": summary.bundled,
        "queries": summary.queries,
        "judged": summary.judged,
        "problem": summary.problem,
    }
    try:
        eval_set = load_set(summary.folder)
    except SetError as error:
        return row | {"problem": None if not summary.queries else error.message}
    return row | {
        "language": eval_set.meta.language,
        "dev": len(eval_set.split("dev")),
        "test": len(eval_set.split("test")),
        "strata": [name for name in eval_set.strata if name],
        "notes": len(find_sources(eval_set.knowledge_base)[1]),
        "licence": eval_set.meta.licence,
        "revision": eval_set.meta.revision,
        "description": eval_set.meta.description,
    }


def _show(row: dict[str, Json], page: "Page") -> None:
    head = f"  {row['queries']} queries, {row['judged']} judged"
    if "notes" in row:
        head = f"  {row['queries']} queries ({row['dev']} dev, {row['test']} test) on "
        about = (f"{row['notes']} notes", row["language"], row["licence"])
        head += ", ".join(filter(None, about))
        head += f", revision {row['revision']}" if row["revision"] else ""
    page.line((row["name"], "bold"), head)
    if row["problem"]:
        page.line(("problem: ", "yellow"), row["problem"], indent=2, hang=2)
    if row.get("description"):
        page.line(row["description"], indent=2)
    if row.get("strata"):
        page.line(f"Strata: {', '.join(row['strata'])}", indent=2, hang=2)
    if not row["bundled"]:
        page.line(row["folder"], indent=2)
    page.blank()
