"""What the evaluation commands share: the set, its notes and index, lists in one argument."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from retrieval.errors import IndexLocked, InvalidInput

if TYPE_CHECKING:
    from eval_sets.types import EvalSet, Variant
    from retrieval.knowledge_base import KnowledgeBase

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
set_argument = click.argument("name", metavar="SET|FOLDER")


def notes_options(command: Decorated) -> Decorated:
    """Adds `--kb` and `--json` to a command on a set, which gets them as `kb` and `as_json`."""
    return click.option(
        "--kb",
        type=click.Path(path_type=Path),
        help="Folder with notes or a knowledge.toml, asked instead of the set's own notes.",
    )(json_option(command))


def asking_options(command: Decorated) -> Decorated:
    """Adds `--logged`, `--metric` and `--variant`: how a command asks that tries edits."""
    command = click.option(
        "--variant", default=None, help="How to look up; default: as the settings say."
    )(command)
    command = click.option("--metric", default="nDCG@10", show_default=True)(command)
    return click.option(
        "--logged",
        type=click.IntRange(min=0),
        default=0,
        help="Ask so many recorded queries as well.",
    )(command)


def find_set(name: str, kb: Path | None = None) -> "EvalSet":
    """The labelled set of this name or in this folder, with its cases.

    Raises as `find_own_folder`, and `SetError` when the set is not usable.
    """
    from eval_sets.loading import load_set

    return load_set(find_own_folder(name, kb))


def find_own_folder(name: str, kb: Path | None = None, *, writable: bool = False) -> Path:
    """The folder of a set: the bundled one of this name, a path, or one in `sets_dir`.

    A bundled set that was judged has a copy, which stands for it; `writable` makes one when there
    is none yet. Raises `InvalidInput` when there is no such set.
    """
    from eval_sets.labelling.places import copy_of, find_own_set, is_bundled, writable_set
    from eval_sets.loading import SET_NAME, read_about
    from eval_sets.sets import bundled_sets
    from retrieval.knowledge_base import KnowledgeBase

    bundled = bundled_sets()
    if name in bundled:
        found: Path | None = copy_of(bundled[name])
    elif (Path(name) / SET_NAME).is_file():
        found = Path(name)
    else:
        found = find_own_set(name, KnowledgeBase.open(kb))
    if found is None:
        raise InvalidInput(
            f"There is no labelled set {name!r}: no bundled one, no {Path(name) / SET_NAME}, and "
            "none of this knowledge base.",
            next_action=f"Bundled: {', '.join(bundled)}. Make one with: lookup-knowledge eval "
            "create NAME, or: lookup-knowledge eval import FOLDER TARGET",
        )
    if writable and is_bundled(found):
        return writable_set(found, KnowledgeBase.open(read_about(found)[1]))
    return found


def open_notes(eval_set: "EvalSet", kb: Path | None) -> "KnowledgeBase":
    """The knowledge base of the set, or the one that `--kb` names."""
    from retrieval.knowledge_base import KnowledgeBase

    return KnowledgeBase.open(kb or eval_set.knowledge_base)


def bring_up_to_date(knowledge: "KnowledgeBase", variants: Iterable["Variant"]) -> None:
    """Builds a missing index if a variant needs one, and adds to an existing one what changed.

    While another process does that, the index as it is serves.
    """
    from retrieval.cli.common import progress_bar

    def asks_l1(variant: "Variant") -> bool:
        return bool(variant.settings.get("lookup", {}).get("mode") != "l0")

    if not knowledge.has_index() and not any(asks_l1(variant) for variant in variants):
        return
    try:
        with progress_bar() as progress:
            knowledge.reindex(progress=progress)
    except IndexLocked as error:
        if not knowledge.has_index():
            raise
        click.echo(f"{error.message} The index before it is measured.", err=True)


def split_variants(text: str) -> tuple[str, ...]:
    """The variants of a list with commas, whose settings are separated by commas as well.

    A part with `=` and without a `:` before it belongs to the variant before, unless it names a
    settings file. Raises `InvalidInput` when the list begins with such a part.
    """
    found: list[str] = []
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        before, is_setting, _ = part.partition("=")
        if not is_setting or ":" in before or part.endswith(".toml"):
            found.append(part)
        elif found:
            found[-1] += ("," if ":" in found[-1] else ":") + part
        else:
            raise InvalidInput(
                f"The setting {part!r} has no variant before it.",
                next_action="Write it as in l0+l1:filter=strict,l1=dense.",
            )
    return tuple(found)


def split_list(text: str) -> tuple[str, ...]:
    """The names of a list with commas."""
    return tuple(filter(None, (piece.strip() for piece in text.split(","))))


def make_folder(out: Path) -> None:
    """The folder of `--out`. Raises `InvalidInput` where it cannot be made."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(
            f"The folder {out} of --out cannot be made: {error.strerror}.",
            next_action="Name another one.",
        ) from error
