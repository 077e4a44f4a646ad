"""`lookup-knowledge eval relabel`: labels of renamed notes."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eval_sets.cli.arguments import find_own_folder, set_argument
from retrieval.cli.common import shared_options
from retrieval.errors import InvalidInput

if TYPE_CHECKING:
    from eval_sets.labelling.renames import Rename
    from retrieval.console import Page


@click.command()
@set_argument
@click.option("--apply", "apply_them", is_flag=True, help="Write the new names into the labels.")
@click.option(
    "--rename",
    "given",
    multiple=True,
    metavar="OLD=NEW",
    help="What a source is called now; for what cannot be told. May be repeated.",
)
@shared_options
def relabel(
    name: str, apply_them: bool, given: tuple[str, ...], kb: Path | None, as_json: bool
) -> None:
    """Find what notes that labels name are called now, after they were renamed.

    A rename is proposed when a note holds the same text, or nearly. Nothing is written without
    --apply.

    \b
    Examples:
      lookup-knowledge eval relabel handbook
      lookup-knowledge eval relabel sets/handbook --apply --rename old/a.md=new/b.md --json
    """
    from eval_sets.labelling.lines import read_lines
    from eval_sets.labelling.renames import apply_renames, propose_renames
    from retrieval.cli.common import emit

    folder = find_own_folder(name, kb)
    token = read_lines(folder).token
    found = propose_renames(folder)
    renames = {rename.source: rename.target for rename in found if rename.target}
    renames |= dict(map(_pair, given))
    done = apply_renames(folder, renames, token=token) if apply_them and renames else None
    if as_json:
        emit(
            {
                "folder": str(folder),
                "renames": [asdict(rename) for rename in found],
                "applied": renames if done else {},
                "cases_changed": done.lines if done else 0,
            }
        )
        return
    from retrieval.console import Page

    page = Page()
    if not found:
        page.line("Every labelled source is a note.")
    for rename in found:
        _show(rename, page)
    if done:
        page.line(f"{done.lines} case{'s' if done.lines != 1 else ''} changed in {folder}.")
    elif renames:
        page.line("Nothing was written; add --apply.")


def _pair(text: str) -> tuple[str, str]:
    old, separator, new = text.partition("=")
    if not (old and separator and new):
        raise InvalidInput(f"{text!r} names no rename.", next_action="Write it as OLD=NEW.")
    return old, new


def _show(rename: "Rename", page: "Page") -> None:
    cases = f"{len(rename.cases)} case" + ("s" if len(rename.cases) != 1 else "")
    if rename.target is not None and rename.likeness is not None:
        why = "same text" if rename.likeness == 1.0 else f"{rename.likeness:.0%} alike"
        page.line((rename.source, "bold"), f" → {rename.target}  {why}, {cases}", hang=2)
        return
    why = "nothing is known of its text" if rename.likeness is None else "no note holds its text"
    if rename.choices:
        why = f"may be {', '.join(rename.choices)}"
    page.line((rename.source, "bold"), f"  is no note any more, {cases}: {why}", hang=2)
    page.line(f"Say it with --rename {rename.source}=NEW", indent=2, hang=2)
