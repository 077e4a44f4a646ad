"""`lookup-knowledge bench`: the lookup beside bare tools and other people's tools."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from eval_sets.cli.arguments import json_option, make_folder, split_list
from retrieval.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Collection

    from eval_sets.bench import Plan

Name = TypeVar("Name", bound=str)


@click.command()
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    help="Folder with one folder for each set of real notes, as `eval import` reads them. Without "
    "it the bundled handbook is indexed.",
)
@click.option("--parts", help="What to measure, with commas; default: everything.")
@click.option("--peers", help="Tools to run beside this one, with commas; default: all.")
@click.option("--sets", help="Sets of --data for peers-quality; default: those up to 5 MB.")
@click.option(
    "--megabytes",
    type=click.FloatRange(min=0, min_open=True),
    help="Size of the notes that are indexed: 3.",
)
@click.option(
    "--repeat",
    type=click.IntRange(min=1),
    help="Repetitions; the file keeps each, with median and range: 3.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("bench"),
    show_default=True,
    help="Folder of bench.json and the plots.",
)
@click.option(
    "--quick", is_flag=True, help="Small sizes: shows that everything runs, judges no target."
)
@json_option
def bench(*, parts: str | None, out: Path, quick: bool, as_json: bool, **given: Any) -> None:
    """Measure speed and memory beside bare tools and other people's tools.

    Parts: indexing, reindex, lookup, l0, scale, cold, peers-quality. Each writes its own section
    of bench.json and leaves the others, so that they can be run one by one while the machine is
    quiet. Everything is measured in processes of its own. The plots and some peers need the extra
    `bench`; a peer that is not installed is a row that says so.

    \b
    Examples:
      lookup-knowledge bench --quick
      lookup-knowledge bench --data data --parts indexing --peers llama-index --megabytes 1
      lookup-knowledge bench --data data --out eval_sets/results --json
    """
    from eval_sets.bench import PARTS, run_parts
    from eval_sets.bench.plots import check_plots, write_plots
    from eval_sets.bench.results import RESULTS_NAME
    from eval_sets.bench.tables import show_parts
    from retrieval.cli.common import emit

    chosen = _choose(parts, PARTS, "part") or tuple(PARTS)
    plan = _plan(quick, given)
    check_plots()  # before hours are spent, and not after
    make_folder(out)
    results = run_parts(chosen, plan, out, lambda line: click.echo(line, err=True))
    written = write_plots(results, out)
    if as_json:
        emit(results.model_dump(mode="json"))
        return
    show_parts(results, chosen)
    for path in (out / RESULTS_NAME, *written):
        click.echo(f"Written: {path}")


def _choose(text: str | None, known: "Collection[Name]", what: str) -> "tuple[Name, ...]":
    """The names of a list with commas. Raises `InvalidInput` for one that is not known."""
    names = split_list(text or "")
    if text is not None and not names:
        raise InvalidInput(
            f"No {what} is named in {text!r}.", next_action=f"Choose from: {', '.join(known)}."
        )
    if unknown := [name for name in names if name not in known]:
        raise InvalidInput(
            f"There is no {what} {unknown[0]!r}.", next_action=f"Choose from: {', '.join(known)}."
        )
    return tuple(name for name in known if name in names)


def _plan(quick: bool, given: dict[str, Any]) -> "Plan":
    """The plan of the options; what was left out has the small or the usual size."""
    from eval_sets.bench import Plan
    from eval_sets.bench.peers import PEERS
    from eval_sets.bench.plans import QUICK

    data: Path | None = given["data"]
    if data is not None and not data.is_dir():
        raise InvalidInput(
            f"The folder {data} of --data does not exist.",
            next_action="Name the folder that holds one folder for each set.",
        )
    named = {
        "data": data,
        "peers": _choose(given["peers"], PEERS, "peer"),
        "sets": split_list(given["sets"] or ""),
    }
    sizes = {key: given[key] for key in ("megabytes", "repeat") if given[key] is not None}
    return Plan(**{**(QUICK if quick else {}), **named, **sizes})
