"""`lookup-knowledge eval compare`: two reports on the same queries."""

from pathlib import Path

import click

from eval_sets.cli.arguments import json_option
from retrieval.errors import InvalidInput


@click.command()
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@click.option("--variant-a", help="Variant of A, where names differ.")
@click.option("--variant-b", help="Variant of B, where names differ.")
@json_option
def compare(a: Path, b: Path, variant_a: str | None, variant_b: str | None, as_json: bool) -> None:
    """Compare report B with report A, query by query.

    A and B are files that `eval run --out` or `--json` wrote, or folders with a report.json.
    Variants of the same name are compared.

    \b
    Examples:
      lookup-knowledge eval compare before after
      lookup-knowledge eval compare a.json b.json --variant-a l0 --variant-b l0+l1 --json
    """
    from eval_sets.report import build_difference, compare_reports, load_report, print_document
    from retrieval.cli.common import emit

    if (variant_a is None) != (variant_b is None):
        raise InvalidInput(
            "Only one variant is named.", next_action="Give both --variant-a and --variant-b."
        )
    chosen = None if variant_a is None or variant_b is None else (variant_a, variant_b)
    compared = compare_reports(load_report(a), load_report(b), variants=chosen)
    if as_json:
        emit(compared.to_dict())
        return
    print_document(build_difference(compared, names=(str(a), str(b))))
