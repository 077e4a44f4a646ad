"""`lookup-knowledge eval run`: ask every query of every variant, and report."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eval_sets.cli.arguments import (
    bring_up_to_date,
    find_set,
    make_folder,
    notes_options,
    open_notes,
    set_argument,
    split_list,
    split_variants,
)
from retrieval.errors import InvalidInput

if TYPE_CHECKING:
    from eval_sets.gate import Baseline
    from eval_sets.report import Gate
    from eval_sets.results import Report
    from eval_sets.types import Variant

GATE_FAILED = 3


@click.command()
@set_argument
@click.option(
    "--variants",
    default="l0,l1,l0+l1",
    show_default=True,
    help="Ways to look up, with commas; settings after a colon: l0+l1:filter=strict,l1=dense. "
    "Or files of settings: tuned.toml, name=tuned.toml.",
)
@click.option("--against", help="Variant that the others are compared with; default: the first.")
@click.option(
    "--split",
    type=click.Choice(("dev", "test", "all")),
    default="all",
    show_default=True,
    help="Queries to ask.",
)
@click.option("--metrics", help="Metrics, with commas; strata and filter are told in the first.")
@click.option("--no-faults", is_flag=True, help="Leave out the runs with a broken L1.")
@click.option(
    "--ragas-llm", metavar="MODULE:NAME", help="LlamaIndex LLM for metrics of ragas that judge."
)
@click.option("--out", type=click.Path(path_type=Path), help="Folder to write the report to.")
@click.option(
    "--format",
    "formats",
    help="json, csv, markdown, html: the files in --out, with commas (default: all), or, "
    "without --out, what to print instead of the tables.",
)
@click.option(
    "--baseline",
    type=click.Path(path_type=Path),
    help="File to hold the report against; exit code 3 when something is worse.",
)
@click.option("--tolerance", type=click.FloatRange(min=0), help="Fall that is no regression: 0.01.")
@click.option("--update-baseline", is_flag=True, help="Write the file of --baseline anew.")
@click.option("--no-cache", is_flag=True, help="Ask again what was asked before.")
@click.option("--workers", type=click.IntRange(min=1), help="Lookups at once; default: the cores.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the statistics.")
@click.option("--resamples", type=click.IntRange(min=100), help="Resamples: 10000.")
@notes_options
def run(name: str, *, kb: Path | None, as_json: bool, **options: Any) -> int:
    """Ask the queries of a labelled set, and report with intervals and tests.

    SET is the name of a bundled set, FOLDER one with a set.yaml. The index is built when there is
    none, and brought up to date when notes changed.

    \b
    Examples:
      lookup-knowledge eval run starter --variants l0,l1,l0+l1
      lookup-knowledge eval run starter --variants l0+l1,l0+l1:filter=off --split test --out out
      lookup-knowledge eval run sets/handbook --variants l0+l1 --baseline baseline.json --json
    """
    from eval_sets.report import check_formats, print_document, render, report_to_json, save_report
    from eval_sets.report.building import build_document
    from eval_sets.report.files import FORMATS, missing_for
    from retrieval.cli.common import emit

    out, baseline = options["out"], options["baseline"]
    formats = check_formats(split_list(options["formats"] or ""), printed=out is None)
    if baseline is None and (options["update_baseline"] or options["tolerance"] is not None):
        raise InvalidInput("No baseline is named.", next_action="Add --baseline FILE.")
    held = None if baseline is None or options["update_baseline"] else _read_baseline(baseline)
    if out is not None:
        if not options["formats"] and (left_out := [f for f in FORMATS if f not in formats]):
            click.echo(f"Warning: {missing_for(*left_out)}", err=True)
        make_folder(out)  # before the queries are asked, and not after
    report = _ask(name, kb, options)
    gate = None
    if held is not None:
        gate = _hold_against(report, held, baseline, options["tolerance"])
    elif baseline is not None:
        _write_baseline(report, baseline)
    written = save_report(report, out, formats=formats, gate=gate) if out else ()
    if as_json:
        emit(report_to_json(report, gate=gate))
    elif formats and not out:
        click.echo(render(report, formats[0], gate=gate), nl=False)
    else:
        print_document(build_document(report, gate=gate))
        for path in (*written, *([baseline] if options["update_baseline"] else ())):
            click.echo(f"Written: {path}")
    return GATE_FAILED if gate is not None and not gate.passed else 0


def _ask(name: str, kb: Path | None, options: dict[str, Any]) -> "Report":
    from eval_sets.harness import PROFILES
    from eval_sets.harness import run as run_set
    from eval_sets.metrics import DEFAULT_METRICS
    from eval_sets.statistics import DEFAULT_RESAMPLES
    from retrieval.cli.common import progress_bar

    eval_set = find_set(name, kb)
    variants = _variants(options["variants"])
    judge = None
    if options["ragas_llm"]:
        from eval_sets.ragas_metrics import load_judge

        judge = load_judge(options["ragas_llm"])
    with open_notes(eval_set, kb) as knowledge:
        bring_up_to_date(knowledge, variants)
        with progress_bar() as progress:
            return run_set(
                eval_set,
                knowledge,
                variants,
                split=None if options["split"] == "all" else options["split"],
                metrics=split_list(options["metrics"] or "") or DEFAULT_METRICS,
                baseline=options["against"],
                faults=() if options["no_faults"] else PROFILES,
                judge=judge,
                progress=progress,
                workers=options["workers"],
                cache=not options["no_cache"],
                seed=options["seed"],
                resamples=options["resamples"] or DEFAULT_RESAMPLES,
            )


def _variants(text: str) -> "Sequence[Variant]":
    from eval_sets.variants import parse_variant

    return [parse_variant(variant) for variant in split_variants(text)]


def _write_baseline(report: "Report", path: Path) -> None:
    from eval_sets.gate import baseline_of, save_baseline

    save_baseline(path, baseline_of(report))


def _read_baseline(path: Path) -> "Baseline":
    from eval_sets.gate import load_baseline

    return load_baseline(path)


def _hold_against(
    report: "Report", baseline: "Baseline", path: Path, tolerance: float | None
) -> "Gate":
    from eval_sets.gate import DEFAULT_TOLERANCE, compare_to_baseline
    from eval_sets.report import Gate

    allowed = DEFAULT_TOLERANCE if tolerance is None else tolerance
    found = compare_to_baseline(report, baseline, tolerance=allowed)
    return Gate(baseline=str(path), tolerance=allowed, regressions=found)
