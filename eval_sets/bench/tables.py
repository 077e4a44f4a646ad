"""The results as tables: for the terminal, and as Markdown for the README."""

from collections.abc import Callable, Collection, Iterable
from typing import Any

from eval_sets.bench.peers import OURS
from eval_sets.bench.results import Results
from eval_sets.bench.running import PARTS
from eval_sets.bench.targets import Outcome, judge
from eval_sets.bench.types import Measured, Part
from eval_sets.report import Document, print_document, to_markdown
from eval_sets.report.document import Block, Cell, Section, Table, Toned, columns

NONE = "-"
_TONES = {"met": "good", "missed": "bad", "not judged": "quiet"}
_LOOKUPS = {
    "no_filter": "without a filter",
    "caller_filter": "with a caller's filter",
    "derived_filter": "with a filter from the words and its shadow request",
    "embedding": "embedding the query, not in the rows above",
    "bare": "one bare Chroma query",
}


def show_parts(results: Results, parts: Collection[Part]) -> None:
    """Prints the targets and the tables of these parts."""
    shown = [part for part in PARTS if part in parts and part in results.parts]
    print_document(
        Document(
            title="Benchmark",
            subtitle="Medians of the repetitions, with their range.",
            sections=(
                Section(title="Targets", blocks=(targets_table(results, shown),)),
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
        columns=columns("~Measured", "#Target", "#Median", "#Range", "~Result"), rows=tuple(rows)
    )


def part_blocks(results: Results, part: Part) -> list[Block]:
    """The tables and sentences of one part; why it was skipped, when it was."""
    found = results.parts[part].found
    if "skipped" in found:
        return [str(found["skipped"])]
    return list(_BLOCKS[part](found))


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
    return f"Measured with {'; and '.join(texts)}. Load when a part began: {_span(loads)}."


def _outcome_row(outcome: Outcome) -> tuple[Cell, ...]:
    verdict = outcome.verdict + (f": {outcome.why}" if outcome.why else "")
    tone: Any = _TONES[outcome.verdict]
    return (
        outcome.target.text,
        outcome.target.describe_bound(),
        _median(outcome.measured),
        _range(outcome.measured),
        Toned(text=verdict, tone=tone),
    )


def _indexing(found: dict[str, Any]) -> Iterable[Block]:
    corpus = found["corpus"]
    text = f"{corpus['notes']} notes of {corpus['name']}, {corpus['characters']:,} characters."
    yield text + (f" {corpus['note']}" if corpus["note"] else "")
    rows: list[tuple[Cell, ...]] = []
    for row in found["rows"]:
        if "not_run" in row:
            rows.append((row["title"], NONE, NONE, NONE, NONE, row["not_run"]))
            continue
        share = row["read_share"]
        own = row["key"] == OURS
        ratio = found["ratios"].get(row["key"])
        rows.append(
            (
                row["title"],
                _median(row["characters_per_second"]),
                NONE if share is None else f"{share:.0%}",
                _median(row["embedded_characters_per_second"]),
                "1" if own else _median(ratio),
                row["how"],
            )
        )
    yield Table(
        columns=columns(
            "Tool", "#characters/s", "#embedded", "#embedded characters/s", "#ours ÷ it", "~how"
        ),
        rows=tuple(rows),
    )


def _reindex(found: dict[str, Any]) -> Iterable[Block]:
    yield (
        f"{found['passages']:,} synthetic passages, embedded by the real model in "
        f"{found['full_seconds']:.0f} s."
    )
    kinds = {"whole_note": "a whole note rewritten", "one_passage": "one sentence changed"}
    yield Table(
        columns=columns(
            "Change", "#passages", "#seconds", "#of them embedding", "#of a full index"
        ),
        rows=tuple(
            (
                label,
                str(found[kind]["passages"]),
                _median(found[kind]["seconds"]),
                _median(found[kind]["embed_seconds"]),
                f"{found[kind]['share_of_full']['median']:.1%}",
            )
            for kind, label in kinds.items()
        ),
    )


def _lookup(found: dict[str, Any]) -> Iterable[Block]:
    yield f"{found['passages']:,} passages; medians of {found['queries']} recorded lookups each."
    yield Table(
        columns=columns("What", "#ms", "#range", "#÷ bare query"),
        rows=tuple(
            (
                label,
                _median(found["milliseconds"][key]),
                _range(found["milliseconds"][key]),
                _median(found["ratios"].get(key)),
            )
            for key, label in _LOOKUPS.items()
        ),
    )


def _l0(found: dict[str, Any]) -> Iterable[Block]:
    few, many = (str(entries) for entries in found["entries"])
    kinds = {
        "constant_matches": f"words of {found['matches']} entries",
        "common_word": "and a word of every tenth title",
    }
    yield Table(
        columns=columns(
            "Query", f"#ms at {int(few):,} entries", f"#ms at {int(many):,}", "#quotient"
        ),
        rows=tuple(
            (
                label,
                _median(found["milliseconds"][kind][few]),
                _median(found["milliseconds"][kind][many]),
                _median(found["ratios"][kind]),
            )
            for kind, label in kinds.items()
        ),
    )


def _scale(found: dict[str, Any]) -> Iterable[Block]:
    yield Table(
        columns=columns(
            "#Passages",
            "#index, s",
            "#its peak, MiB",
            "#disk, MiB",
            "#first lookup, s",
            "#lookup, ms",
            "#its peak, MiB",
        ),
        rows=tuple(
            (
                f"{row['passages']:,}",
                f"{row['index_seconds']:g}",
                f"{row['index_peak_mib']:.0f}",
                f"{row['disk_mib']:.0f}",
                _median(row["first_lookup_seconds"]),
                _median(row["lookup_milliseconds"]),
                f"{row['lookup_peak_mib']['median']:.0f}",
            )
            for row in found["rows"]
        ),
    )


def _cold(found: dict[str, Any]) -> Iterable[Block]:
    yield Table(
        columns=columns("A new process", "#s", "#range"),
        rows=(
            (
                "first lookup, on a built index",
                _median(found["lookup_seconds"]),
                _range(found["lookup_seconds"]),
            ),
            (
                "the bare imports",
                _median(found["import_seconds"]),
                _range(found["import_seconds"]),
            ),
        ),
    )


def _quality(found: dict[str, Any]) -> Iterable[Block]:
    for name, one in found["sets"].items():
        yield Table(
            title=f"{name}, {one['queries']} queries, {found['metric']}",
            columns=columns("Tool", "#mean", "#difference to ours", "#95 %", "#Holm p"),
            rows=tuple(_quality_row(row) for row in one["rows"]),
        )
    for name, why in found["left_out"].items():
        yield f"{name} was left out: {why}."
    for row in found["not_run"]:
        yield f"{row['title']}: {row['not_run']}"


def _quality_row(row: dict[str, Any]) -> tuple[Cell, ...]:
    if "not_run" in row:
        return (row["title"], row["not_run"], NONE, NONE, NONE)
    difference = row.get("difference_to_ours")
    ends, p = row.get("difference_interval"), row.get("p_holm")
    return (
        row["title"],
        NONE if row["mean"] is None else f"{row['mean']:.3f}",
        NONE if difference is None else f"{difference:+.3f}",
        f"{ends[0]:+.3f} to {ends[1]:+.3f}" if ends else NONE,
        NONE if p is None else ("< 0.001" if p < 0.001 else f"{p:.3f}"),
    )


def _median(measured: Measured | None) -> str:
    return NONE if measured is None else _number(measured["median"])


def _range(measured: Measured | None) -> str:
    if measured is None:
        return NONE
    return _span((measured["low"], measured["high"]))


def _span(values: Iterable[float]) -> str:
    ends = sorted(values)
    return f"{_number(ends[0])} to {_number(ends[-1])}"


def _number(value: float) -> str:
    """Three significant digits, thousands with commas."""
    if abs(value) >= 100:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:#.3g}" if value else "0"


_BLOCKS: dict[Part, Callable[[dict[str, Any]], Iterable[Block]]] = {
    "indexing": _indexing,
    "reindex": _reindex,
    "lookup": _lookup,
    "l0": _l0,
    "scale": _scale,
    "cold": _cold,
    "peers-quality": _quality,
}
