"""The part of a report about the contract: filter, fallback, merging, and no answer."""

from collections.abc import Iterable, Mapping

from eval_sets.contract import FilterMetrics, NoAnswerMetrics, RankMove, point_for
from eval_sets.report.document import Block, Section, Table, columns
from eval_sets.report.figures import moves_figure
from eval_sets.report.wording import (
    DASH,
    between,
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
_FALSE_ANSWERS = (0.05, 0.10, 0.20)


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
    return ", ".join(
        f"{source} {before or DASH} → {after or DASH}"
        for source, (before, after) in move.ranks.items()
        if before != after
    )


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
        "Every query again while L1 gives nothing. Of the queries that L0 matched, all must keep "
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


def no_answer(report: Report) -> Section | None:
    """How well confidence tells questions with an answer from those without."""
    return no_answer_section(report.no_answer)


def no_answer_section(accounts: Mapping[str, NoAnswerMetrics]) -> Section | None:
    """The account of each name; None without any."""
    if not accounts:
        return None
    points = [
        (name, rate, point_for(metrics.points, false_answer=rate))
        for name, metrics in accounts.items()
        for rate in _FALSE_ANSWERS
        if metrics.points
    ]
    levels = [
        (name, level, counts)
        for name, metrics in accounts.items()
        for level, counts in metrics.levels.items()
        if any(counts)
    ]
    return Section(
        title="No answer",
        blocks=(
            "AUROC: chance that a question with an answer gets more confidence than one without; "
            "0.5 is no separation. False answer: claims one where there is none. False empty: "
            "claims none where there is one.",
            Table(
                columns=columns(
                    "variant",
                    "#AUROC",
                    "#95 % interval",
                    "#false answers",
                    "#false empties",
                    "#no block",
                ),
                rows=tuple(
                    (
                        name,
                        number(metrics.auroc),
                        between(metrics.interval),
                        share(metrics.false_answer),
                        share(metrics.false_empty),
                        share(metrics.nothing_returned),
                    )
                    for name, metrics in accounts.items()
                ),
            ),
            Table(
                title="Operating points: the least confidence that keeps false answers this low",
                columns=columns(
                    "variant",
                    "#false answers at most",
                    "#confidence from",
                    "#false answers",
                    "#false empties",
                ),
                rows=tuple(
                    (
                        name,
                        f"{rate:.0%}",
                        number(point.threshold if point else None),
                        number(point.false_answer if point else None),
                        number(point.false_empty if point else None),
                    )
                    for name, rate, point in points
                ),
            ),
            Table(
                title="Queries by level of relevance",
                columns=columns("variant", "level", "#with an answer", "#without"),
                rows=tuple((name, level, str(yes), str(no)) for name, level, (yes, no) in levels),
            ),
        ),
    )


def _named(what: str, cases: tuple[str, ...]) -> Iterable[Block]:
    if cases:
        yield f"{what}: {first_of(cases)}."
