"""`lookup-knowledge bench`: the lookup beside bare tools and other people's tools."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from eval_sets.cli.arguments import json_option, split_list
from retrieval.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Collection

    from eval_sets.bench import Plan, Results
    from eval_sets.bench.types import Part


@click.command()
@click.option(
    "--data",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder with one folder for each set of real notes, as `eval import` reads them. Without "
    "it the bundled handbook is indexed.",
)
@click.option("--parts", help="What to measure, with commas; default: everything.")
@click.option("--peers", help="Tools to run beside this one, with commas; default: all.")
@click.option("--sets", help="Sets of --data for peers-quality; default: those up to 5 MB.")
@click.option(
    "--megabytes",
    type=click.FloatRange(min=0, min_open=True),
    default=3.0,
    show_default=True,
    help="Size of the notes that are indexed.",
)
@click.option(
    "--repeat",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="Repetitions; the file keeps each, with median and range.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("bench"),
    show_default=True,
    help="Folder of bench.json and the plots.",
)
@click.option(
    "--quick", is_flag=True, help="Small sizes: shows that everything runs, judges no target."
)
@json_option
def bench(
    data: Path | None,
    *,
    parts: str | None,
    peers: str | None,
    sets: str | None,
    megabytes: float,
    repeat: int,
    out: Path,
    quick: bool,
    as_json: bool,
) -> None:
    """Measure speed and memory beside bare tools and other people's tools.

    Parts: indexing, reindex, lookup, l0, scale, cold, peers-quality. Each writes its own section
    of bench.json and leaves the others, so that they can be run one by one while the machine is
    quiet. Everything is measured in processes of its own. Peers need the extra `bench`; one that
    is not installed is a row that says so.

    \b
    Examples:
      lookup-knowledge bench --quick
      lookup-knowledge bench --data data --parts indexing --peers llama-index --megabytes 1
      lookup-knowledge bench --data data --out eval_sets/results --json
    """
    from eval_sets.bench import PARTS, run_parts
    from eval_sets.bench.peers import PEERS
    from eval_sets.bench.plots import check_plots, write_plots
    from retrieval.cli.common import emit

    check_plots()  # before hours are spent, and not after
    chosen = _chosen(parts, PARTS, "part")
    plan = _plan(
        quick,
        data=data,
        peers=_chosen(peers, PEERS, "peer") if peers else (),
        sets=split_list(sets or ""),
        megabytes=megabytes,
        repeat=repeat,
    )
    results = run_parts(chosen or tuple(PARTS), plan, out, lambda line: click.echo(line, err=True))
    written = write_plots(results, out)
    if as_json:
        emit(results.model_dump(mode="json"))
        return
    _show(results, chosen or tuple(PARTS))
    for path in (out / "bench.json", *written):
        click.echo(f"Written: {path}")


def _chosen(text: "str | None", known: "Collection[Part]", what: str) -> "tuple[Part, ...]":
    """The names of a list with commas. Raises `InvalidInput` for one that is not known."""
    names = split_list(text or "")
    if unknown := [name for name in names if name not in known]:
        raise InvalidInput(
            f"There is no {what} {unknown[0]!r}.", next_action=f"Choose from: {', '.join(known)}."
        )
    return tuple(name for name in known if name in names)


def _plan(quick: bool, **given: "object") -> "Plan":
    from eval_sets.bench import Plan
    from eval_sets.bench.plans import QUICK

    return Plan(**given, **(QUICK if quick else {}))


def _show(results: "Results", parts: "Collection[Part]") -> None:
    from eval_sets.bench.tables import show_parts
    from retrieval.console import Page

    show_parts(results, parts, Page())
