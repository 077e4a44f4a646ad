"""`lookup-knowledge eval preview`: what an edit of a note changes, before it is saved."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from eval_sets.cli.arguments import (
    asking_options,
    bring_up_to_date,
    find_set,
    notes_options,
    open_notes,
    set_argument,
)
from retrieval.errors import InvalidInput
from retrieval.types import Json

if TYPE_CHECKING:
    from eval_sets.labelling.effects import Effect, Effects
    from retrieval.console import Page


@click.command()
@set_argument
@click.argument("source")
@click.option(
    "--file", "path", type=click.Path(path_type=Path), help="The note as it is to be; - is stdin."
)
@click.option("--add-keyword", "add", multiple=True, help="Keyword to add; may be repeated.")
@click.option("--remove-keyword", "remove", multiple=True, help="Keyword to remove.")
@click.option("--delete", is_flag=True, help="The note is to be deleted.")
@asking_options
@notes_options
def preview(
    name: str,
    source: str,
    *,
    path: Path | None,
    add: tuple[str, ...],
    remove: tuple[str, ...],
    delete: bool,
    logged: int,
    metric: str,
    variant: str | None,
    kb: Path | None,
    as_json: bool,
) -> None:
    """Show which labelled queries of SET an edit of the note SOURCE would change.

    Nothing is saved. The queries are asked of the notes as they are and as they would be.

    \b
    Examples:
      lookup-knowledge eval preview starter security/report-a-phish.md --add-keyword spam
      lookup-knowledge eval preview sets/handbook access/badge.md --file badge.md --json
    """
    from eval_sets.labelling.candidates import logged_cases
    from eval_sets.labelling.effects import AS_SET, keyword_effects, preview_edit
    from eval_sets.variants import parse_variant
    from retrieval.cli.common import emit, progress_bar

    if sum([path is not None, bool(add or remove), delete]) != 1:
        raise InvalidInput(
            "An edit is one of --file, --add-keyword with --remove-keyword, and --delete.",
            next_action="See: lookup-knowledge eval preview --help",
        )
    text = None if path is None else _read(path)
    eval_set = find_set(name, kb)
    chosen = AS_SET if variant is None else parse_variant(variant)
    with open_notes(eval_set, kb) as knowledge:
        bring_up_to_date(knowledge, [chosen])
        cases = [*eval_set.cases, *logged_cases(knowledge, limit=logged, known=eval_set.cases)]
        with progress_bar() as progress:
            about = {"metric": metric, "variant": chosen, "progress": progress}
            if add or remove:
                found = keyword_effects(knowledge, source, cases, add=add, remove=remove, **about)  # type: ignore[arg-type]
            else:
                found = preview_edit(knowledge, source, text, cases, **about)  # type: ignore[arg-type]
    if as_json:
        emit(_document(found))
        return
    from retrieval.console import Page

    _show(found, Page())


def _read(path: Path) -> str:
    try:
        with click.open_file(str(path), encoding="utf-8-sig") as file:
            return str(file.read())
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            f"The file {path} cannot be read: {error}.", next_action="Name a UTF-8 text file."
        ) from error


def _document(found: "Effects") -> Json:
    from dataclasses import asdict

    return {
        "source": found.source,
        "metric": found.metric,
        "asked": found.asked,
        "before": asdict(found.before),
        "after": asdict(found.after),
        "effects": [
            {
                "id": effect.case.id,
                "query": effect.case.query,
                "change": effect.change,
                "match": effect.match,
                "filter_changed": effect.filter_changed,
                "moved": {source: list(ranks) for source, ranks in effect.moved.items()},
                "before": asdict(effect.before),
                "after": asdict(effect.after),
            }
            for effect in found.effects
        ],
    }


def _show(found: "Effects", page: "Page") -> None:
    def figure(value: float | None) -> str:
        return "–" if value is None else f"{value:.4f}"

    page.line(
        (found.source, "bold"),
        f": {len(found.effects)} of {found.asked} queries change, "
        f"{found.better} better, {found.worse} worse",
        hang=2,
    )
    page.line(
        f"{found.metric} {figure(found.before.value)} → {figure(found.after.value)} "
        f"(mean over {found.after.n} labelled queries)"
    )
    for effect in found.effects:
        _show_effect(effect, found.source, page)


def _show_effect(effect: "Effect", source: str, page: "Page") -> None:
    change = "  ·  " if effect.change is None else f"{effect.change:+.3f}"
    colour = "red" if (effect.change or 0) < 0 else "green" if (effect.change or 0) > 0 else ""
    page.blank()
    page.line((change, colour), f"  {effect.case.id}  {effect.case.query}", hang=2)
    told = []
    if effect.match:
        told.append(f"L0 match {effect.match}")
    if effect.filter_changed:
        told.append(f"filter {effect.before.category} → {effect.after.category}")
    if effect.before.rank != effect.after.rank:
        told.append(f"this note {_ranks(effect.before.rank, effect.after.rank)}")
    others = {name: ranks for name, ranks in effect.moved.items() if name != source}
    told += [f"{name} {_ranks(*ranks)}" for name, ranks in others.items()]
    page.line("; ".join(told) or "other notes change places", indent=8, hang=2)


def _ranks(before: int | None, after: int | None) -> str:
    return f"{before or 'not found'} → {after or 'not found'}"
