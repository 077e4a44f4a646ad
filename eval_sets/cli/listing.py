"""`lookup-knowledge eval list`: the bundled sets."""

import click

from eval_sets.cli.arguments import json_option
from retrieval.types import Json


@click.command("list")
@json_option
def list_(as_json: bool) -> None:
    """List the bundled labelled sets.

    \b
    Examples:
      lookup-knowledge eval list
      lookup-knowledge eval list --json
    """
    from eval_sets.loading import find_sources, load_set
    from eval_sets.sets import bundled_sets
    from retrieval.cli.common import emit

    rows: list[dict[str, Json]] = []
    for name, folder in bundled_sets().items():
        eval_set = load_set(folder)
        rows.append(
            {
                "name": name,
                "language": eval_set.meta.language,
                "queries": len(eval_set.cases),
                "dev": len(eval_set.split("dev")),
                "test": len(eval_set.split("test")),
                "strata": list(eval_set.strata),
                "notes": len(find_sources(eval_set.knowledge_base)[1]),
                "licence": eval_set.meta.licence,
                "revision": eval_set.meta.revision,
                "description": eval_set.meta.description,
                "folder": str(folder),
            }
        )
    if as_json:
        emit({"sets": rows})
        return
    from retrieval.console import Page

    page = Page()
    for row in rows:
        page.line(
            (row["name"], "bold"),
            f"  {row['queries']} queries ({row['dev']} dev, {row['test']} test) on "
            f"{row['notes']} notes, {row['language']}, revision {row['revision']}, "
            f"{row['licence']}",
        )
        page.line(row["description"], indent=2)
        page.line(f"Strata: {', '.join(row['strata'])}", indent=2, hang=2)
        page.blank()
