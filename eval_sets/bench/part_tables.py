"""What each part found, as tables and sentences."""

from collections.abc import Callable, Iterable
from typing import Any

from eval_sets.bench.numbers import NONE, show_median, show_range
from eval_sets.bench.peers import OURS
from eval_sets.bench.types import Part
from eval_sets.report.document import Block, Cell, Table, columns

_LOOKUPS = {
    "no_filter": "without a filter",
    "caller_filter": "with a caller's filter",
    "derived_filter": "with a filter from the words and its shadow request",
    "embedding": "embedding the query, not in the rows above",
    "bare": "one bare Chroma query",
}


def _indexing(found: dict[str, Any]) -> Iterable[Block]:
    corpus = found["corpus"]
    text = f"{corpus['notes']} notes of {corpus['name']}, {corpus['characters']:,} characters."
    yield text + (f" {corpus['note']}" if corpus["note"] else "")
    rows: list[tuple[Cell, ...]] = []
    for row in found["rows"]:
        if "not_run" in row:
            rows.append((row["title"], *[NONE] * 5, row["not_run"]))
            continue
        share = row["read_share"]
        own = row["key"] == OURS
        ratio = found["ratios"].get(row["key"])
        rows.append(
            (
                row["title"],
                show_median(row["characters_per_second"]),
                NONE if share is None else f"{share:.0%}",
                show_median(row["embedded_characters_per_second"]),
                "1" if own else show_median(ratio),
                "1" if own else show_median(found["processor_ratios"].get(row["key"])),
                row["how"],
            )
        )
    yield Table(
        columns=columns(
            "Tool",
            "#characters/s",
            "#embedded",
            "#embedded characters/s",
            "#ours ÷ it",
            "#in processor time",
            "~how",
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
                show_median(found[kind]["seconds"]),
                show_median(found[kind]["embed_seconds"]),
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
                show_median(found["milliseconds"][key]),
                show_range(found["milliseconds"][key]),
                show_median(found["ratios"].get(key)),
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
                show_median(found["milliseconds"][kind][few]),
                show_median(found["milliseconds"][kind][many]),
                show_median(found["ratios"][kind]),
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
                show_median(row["first_lookup_seconds"]),
                show_median(row["lookup_milliseconds"]),
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
                show_median(found["lookup_seconds"]),
                show_range(found["lookup_seconds"]),
            ),
            (
                "the bare imports",
                show_median(found["import_seconds"]),
                show_range(found["import_seconds"]),
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


BLOCKS: dict[Part, Callable[[dict[str, Any]], Iterable[Block]]] = {
    "indexing": _indexing,
    "reindex": _reindex,
    "lookup": _lookup,
    "l0": _l0,
    "scale": _scale,
    "cold": _cold,
    "peers-quality": _quality,
}
"""Part → what draws its findings."""
