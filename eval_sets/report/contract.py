"""The part of a report about the contract: filter, fallback and merging."""

from collections.abc import Iterable

from eval_sets.contract import FilterMetrics, RankMove
from eval_sets.report.document import Block, Cell, Section, Table, Toned, columns
from eval_sets.report.figures import moves_figure
from eval_sets.report.wording import (
    DASH,
    denominator,
    first_of,
    must_be,
    must_be_none,
    number,
    share,
    signed,
)
from eval_sets.results import Report

MOST_MOVES = 15
MOST_RANKS = 2


def contract_findings(report: Report) -> Iterable[Cell]:
    """The contract in sentences: what the filter cost, and whether the rest was kept."""
    for variant, metrics in report.filters.items():
        if metrics.fire_rate.value:
            yield (
                f"The filter of {variant} fired on {metrics.fire_rate.value:.0%} of the queries, "
                f"harmed {len(metrics.harmed)} and helped {len(metrics.helped)} of them "
                f"(mean change {signed(metrics.change.value)} {report.metrics[0]})."
            )
    if report.faults:
        broken = [f for f in report.faults if not f.metrics.kept or f.failed]
        checked = [f for f in report.faults if f.metrics.l0_primary.n or f.metrics.records_kept.n]
        if broken:
            named = ", ".join(f"{fault.variant} under {fault.profile}" for fault in broken)
            yield Toned(text=f"The fallback broke: {named}.", tone="bad")
        elif not checked:
            yield "The fallback was not checked: L0 matched no query under any fault."
        else:
            count = len(report.faults)
            some = f"{len(checked)} of {count} faults; under the others nothing was checked"
            held = f"all {count} faults" if len(checked) == count else some
            yield Toned(text=f"The fallback held under {held}.", tone="good")
    wrong = [
        name
        for name, m in report.dedupe.items()
        if m.duplicates or m.reasons_lost or m.counts_broken
    ]
    if wrong:
        yield Toned(text=f"Merging broke: {', '.join(wrong)}.", tone="bad")


def filtering(report: Report) -> Section | None:
    """What the derived filter did, against the same variant without it."""
    if not report.filters:
        return None
    first = report.metrics[0]
    accounts = report.filters
    lines = {
        "fired": [share(m.fire_rate) for m in accounts.values()],
        "chose a right category": [share(m.route_accuracy) for m in accounts.values()],
        "as the label expects": [share(m.agreement) for m in accounts.values()],
        "recall ceiling 1 − f(1 − a)": [number(m.recall_ceiling) for m in accounts.values()],
        "relevant notes inside": [share(m.ceiling) for m in accounts.values()],
        "let something past it": [share(m.relaxed_rate) for m in accounts.values()],
        f"change in {first}, touched queries": [
            f"{signed(m.change.value)} (n={m.change.n} of {m.change.of})" for m in accounts.values()
        ],
        "queries harmed": [str(len(m.harmed)) for m in accounts.values()],
        "queries helped": [str(len(m.helped)) for m in accounts.values()],
    }
    blocks: list[Block] = [
        "Shares, and of how many queries. Harmed and helped: against the same variant with the "
        "filter off.",
        Table(
            columns=columns("filter", *(f"#{name}" for name in accounts)),
            rows=tuple((name, *cells) for name, cells in lines.items()),
        ),
    ]
    for variant, metrics in accounts.items():
        blocks += _moves(variant, metrics, first)
    return Section(title="Category filter", blocks=tuple(blocks))


def _moves(variant: str, metrics: FilterMetrics, metric: str) -> Iterable[Block]:
    for word, moves in (("harmed", metrics.harmed), ("helped", metrics.helped)):
        if moves:
            more = f" (the first {MOST_MOVES} of {len(moves)})" if len(moves) > MOST_MOVES else ""
            yield Table(
                title=f"Queries that the filter of {variant} {word}{more}",
                columns=columns("query", "category", "#before", "#after", "~ranks before → after"),
                rows=tuple(
                    (
                        move.case_id,
                        move.category,
                        number(move.score_before),
                        number(move.score_after),
                        _ranks(move),
                    )
                    for move in moves[:MOST_MOVES]
                ),
            )
    if moves := (*metrics.harmed, *metrics.helped):
        yield moves_figure(moves, variant=variant, metric=metric)


def _ranks(move: RankMove) -> str:
    moved = [
        f"{source} {before or DASH} → {after or DASH}"
        for source, (before, after) in move.ranks.items()
        if before != after
    ]
    more = f", and {len(moved) - MOST_RANKS} more" if len(moved) > MOST_RANKS else ""
    return ", ".join(moved[:MOST_RANKS]) + more


def fallback(report: Report) -> Section | None:
    """Whether L0 evidence survived each way in which L1 may give nothing."""
    if not report.faults:
        return None
    named = [(f"{fault.variant}, {fault.profile}", fault) for fault in report.faults]
    held = Table(
        columns=columns(
            "variant, fault", "#L0 primary", "#hints recorded", "#false semantic", "#crashed"
        ),
        rows=tuple(
            (
                name,
                must_be(fault.metrics.l0_primary, 1.0),
                must_be(fault.metrics.records_kept, 1.0),
                must_be_none(len(fault.metrics.false_semantic)),
                must_be_none(len(fault.failed)),
            )
            for name, fault in named
        ),
    )
    first = report.metrics[0]
    quality = Table(
        title="How good the fallback is",
        columns=columns(
            "variant, fault", f"#{first}", "#without the fault", "#scored", "#without a block"
        ),
        rows=tuple(
            (
                name,
                number(fault.quality.value),
                number(fault.healthy.value),
                denominator(fault.quality),
                str(fault.no_evidence),
            )
            for name, fault in named
        ),
    )
    blocks: list[Block] = [
        "Every query again while L1 gives nothing. Full text still orders and extends the "
        "fallback, unless L1 is off or has no index. Of the queries that L0 matched, all must keep "
        "an L0 primary and the record of their hints; none may claim L1, and none may crash.",
        held,
        quality,
    ]
    for fault in report.faults:
        where = f"{fault.variant}, {fault.profile}"
        blocks += _named(f"{where}: lost their L0 evidence", fault.metrics.lost)
        blocks += _named(f"{where}: claim L1 falsely", fault.metrics.false_semantic)
        blocks += _named(f"{where}: crashed", fault.failed)
    return Section(title="Fallback", blocks=tuple(blocks))


def merging(report: Report) -> Section | None:
    """Whether each note came back once, with the reasons of both paths."""
    if not report.dedupe:
        return None
    blocks: list[Block] = [
        "A note must come back once, with the reasons of both paths, and the counts must add up.",
        Table(
            columns=columns(
                "variant",
                "#duplicates",
                "#merged share",
                "#reasons of both kept",
                "#wrong counts",
            ),
            rows=tuple(
                (
                    variant,
                    must_be_none(metrics.duplicates),
                    share(metrics.merged_share),
                    must_be(metrics.reasons_kept, 1.0),
                    must_be_none(len(metrics.counts_broken)),
                )
                for variant, metrics in report.dedupe.items()
            ),
        ),
    ]
    for variant, metrics in report.dedupe.items():
        blocks += _named(f"{variant}: came back twice", metrics.duplicated)
        blocks += _named(
            f"{variant}: lost a reason", tuple(": ".join(lost) for lost in metrics.reasons_lost)
        )
        blocks += _named(f"{variant}: counts do not add up", metrics.counts_broken)
    return Section(title="Merging", blocks=tuple(blocks))


def _named(what: str, cases: tuple[str, ...]) -> Iterable[Block]:
    if cases:
        yield f"{what}: {first_of(cases)}."
