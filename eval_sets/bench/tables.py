"""The results as tables: for the terminal, and as Markdown for the README."""

from collections.abc import Collection
from typing import Any

from eval_sets.bench.numbers import show_median, show_range, show_span
from eval_sets.bench.part_tables import BLOCKS
from eval_sets.bench.results import Results
from eval_sets.bench.running import PARTS
from eval_sets.bench.targets import Outcome, judge
from eval_sets.bench.types import Part
from eval_sets.report import Document, print_document, to_markdown
from eval_sets.report.document import Block, Cell, Section, Table, Toned, columns

_TONES = {"met": "good", "missed": "bad", "not judged": "quiet"}


def show_parts(results: Results, parts: Collection[Part]) -> None:
    """Prints the targets and the tables of these parts."""
    shown = [part for part in PARTS if part in parts and part in results.parts]
    print_document(
        Document(
            title="Benchmark",
            subtitle="Medians of the repetitions, with their range.",
            sections=(
                Section(
                    title="Targets",
                    blocks=(targets_table(results, shown), *missed_lines(results, shown)),
                ),
                *(Section(title=part, blocks=tuple(part_blocks(results, part))) for part in shown),
            ),
        )
    )


def as_markdown(*blocks: Block) -> str:
    """The blocks as Markdown, without a title."""
    document = Document(title="-", subtitle="", sections=(Section(title="-", blocks=blocks),))
    return to_markdown(document).split("## -\n\n", 1)[1]


def targets_table(results: Results, parts: Collection[Part] | None = None) -> Table:
    """What was wanted, what was measured, and whether that is enough."""
    rows = [
        _outcome_row(outcome)
        for outcome in judge(results)
        if parts is None or outcome.target.part in parts
    ]
    return Table(
        columns=columns("#Target", "#Median", "#Range", "~Result", "~What"), rows=tuple(rows)
    )


def missed_lines(results: Results, parts: Collection[Part] | None = None) -> list[str]:
    """A sentence for each target that was missed: how far it got, and what stands in the way."""
    return [
        f"{one.target.text}: {show_median(one.measured)} where {one.target.describe_bound()} was "
        f"wanted. {one.target.obstacle}".rstrip()
        for one in judge(results)
        if one.verdict == "missed" and (parts is None or one.target.part in parts)
    ]


def part_blocks(results: Results, part: Part) -> list[Block]:
    """The tables and sentences of one part; why it was skipped, when it was."""
    if part not in results.parts:
        return [f"The part {part} was not run."]
    found = results.parts[part].found
    if "skipped" in found:
        return [str(found["skipped"])]
    return list(BLOCKS[part](found))


def machine_line(results: Results) -> str:
    """The machines of all parts in one sentence, each once."""
    texts = {
        f"{m['cores']} cores ({', '.join(m['flags'] or ['flags unknown'])}), "
        f"Python {m['python']}, chromadb {m['packages'].get('chromadb', '?')}, "
        f"llama-index-core {m['packages'].get('llama-index-core', '?')}, "
        f"onnxruntime {m['packages'].get('onnxruntime', '?')}": None
        for section in results.parts.values()
        for m in (section.machine,)
    }
    loads = [section.machine["load_average_at_start"][0] for section in results.parts.values()]
    return f"Measured with {'; and '.join(texts)}. Load when a part began: {show_span(loads)}."


def _outcome_row(outcome: Outcome) -> tuple[Cell, ...]:
    verdict = outcome.verdict + (f": {outcome.why}" if outcome.why else "")
    tone: Any = _TONES[outcome.verdict]
    return (
        outcome.target.describe_bound(),
        show_median(outcome.measured),
        show_range(outcome.measured),
        Toned(text=verdict, tone=tone),
        outcome.target.text,
    )
