"""The first part of a report: what it says, the scores, and the comparisons."""

from collections.abc import Iterable

from eval_sets.report.contract import contract_findings
from eval_sets.report.document import Block, Cell, Section, Table, Toned, columns
from eval_sets.report.figures import differences_figure, strata_figure
from eval_sets.report.gated import Gate
from eval_sets.report.wording import (
    denominator,
    estimate,
    name_of,
    number,
    p_value,
    signed,
    signed_between,
    verdict,
)
from eval_sets.results import Report, Score
from eval_sets.statistics import Comparison

_STATUSES = ("evaluated", "zero_result", "failed", "not_judged")


def findings(report: Report, gate: Gate | None = None) -> Section:
    """What the run allows to say, in sentences, and what the reader should be warned of."""
    first = report.metrics[0]
    sentences: list[Block] = [
        Toned(text=f"Warning: {warning}", tone="bad") for warning in report.warnings
    ]
    if gate is not None:
        sentences.append(Toned(text=gate.sentence(), tone="good" if gate.passed else "bad"))
    sentences += [c.sentence() for c in report.comparisons if c.metric == first]
    if not report.comparisons:
        sentences += [
            f"{score.variant}: {first} {estimate(score.mean.value, score.interval)} "
            f"over {score.mean.n} of {score.mean.of} queries."
            for score in report.scores
            if score.metric == first and score.stratum is None
        ]
    return Section(title="In short", blocks=(*sentences, *contract_findings(report)))


def scores(report: Report) -> Section:
    """Every metric of every variant, and how the queries ended."""
    overall = [score for score in report.scores if score.stratum is None]
    names = [variant.name for variant in report.variants]
    counted = [
        [sum(row.status == s for row in report.of_variant(n)) for s in _STATUSES] for n in names
    ]
    statuses = Table(
        title="How the queries ended",
        columns=columns("variant", "#evaluated", "#nothing found", "#failed", "#not judged"),
        rows=tuple(
            (name, *(_count(n, bad=s == "failed") for n, s in zip(counts, _STATUSES, strict=True)))
            for name, counts in zip(names, counted, strict=True)
        ),
    )
    alike = Table(
        title="How alike the rankings are",
        columns=columns("variants", "#rank-biased overlap", "#same in first ten", "#queries"),
        rows=tuple(
            (
                f"{overlap.a} and {overlap.b}",
                number(overlap.rbo.value),
                number(overlap.jaccard.value),
                denominator(overlap.rbo),
            )
            for overlap in report.overlaps
        ),
    )
    return Section(
        title="Scores",
        blocks=(
            "Mean and its 95 % bootstrap interval. A query that failed or found nothing counts as "
            "0; one without a relevant note is not scored (scored/all).",
            _grid("metric", report.metrics, names, {(s.metric, s.variant): s for s in overall}),
            statuses,
            *([alike] if alike.rows else []),
        ),
    )


def comparisons(report: Report) -> Section | None:
    """Every variant against the baseline, by metric."""
    if not report.comparisons:
        return None
    first = report.metrics[0]
    blocks: list[Block] = [COMPARISON_NOTE]
    for variant in dict.fromkeys(c.b for c in report.comparisons):
        mine = [c for c in report.comparisons if c.b == variant]
        blocks.append(
            comparison_table(
                f"{variant} against {mine[0].a}", "metric", [(c.metric, c) for c in mine]
            )
        )
        before, after = (report.values.get(n, {}).get(first, {}) for n in (mine[0].a, variant))
        pairs = {
            case_id: (a, b)
            for case_id, b in after.items()
            if b is not None and (a := before.get(case_id)) is not None
        }
        if pairs:
            blocks.append(differences_figure(pairs, names=(mine[0].a, variant), metric=first))
    return Section(title="Comparisons", blocks=tuple(blocks))


def strata(report: Report) -> Section | None:
    """The first metric by stratum, and the comparisons there."""
    found = [score for score in report.scores if score.stratum is not None]
    first = report.metrics[0]
    found = [score for score in found if score.metric == first]
    if len({score.stratum for score in found}) < 2:
        return None
    strata = [name for name in report.strata if any(s.stratum == name for s in found)]
    grid = _grid(
        "stratum",
        [name_of(name) for name in strata],
        [variant.name for variant in report.variants],
        {(name_of(score.stratum or ""), score.variant): score for score in found},
    )
    blocks: list[Block] = [grid, strata_figure(found, first)]
    for variant in dict.fromkeys(c.comparison.b for c in report.stratum_comparisons):
        mine = [c for c in report.stratum_comparisons if c.comparison.b == variant]
        title = f"{variant} against {mine[0].comparison.a}"
        rows = [(name_of(c.stratum), c.comparison) for c in mine]
        blocks.append(comparison_table(title, "stratum", rows))
    return Section(title=f"{first} by stratum", blocks=tuple(blocks))


COMPARISON_NOTE = (
    "Paired, query by query. p: randomisation test, Holm-corrected over the variants compared, "
    "each metric by itself. d_z: effect size, the mean change over its standard deviation. "
    "Detects: smallest difference that so many queries would show with 80 % power. Unclear: not "
    "distinguishable from noise at 5 %. Same: no query differs."
)


def comparison_table(title: str, kind: str, rows: Iterable[tuple[str, Comparison]]) -> Table:
    """One comparison a line, each with a name of this kind."""
    return Table(
        title=title,
        columns=columns(
            kind,
            "#change",
            "#95 % interval",
            "#p (Holm)",
            "#wins / ties / losses",
            "#d_z",
            "#detects",
            "verdict",
        ),
        rows=tuple(
            (
                name,
                signed(c.difference),
                signed_between(c.interval),
                p_value(c),
                f"{c.wins}/{c.ties}/{c.losses}",
                number(c.effect_size, 2),
                number(c.detectable),
                verdict(c),
            )
            for name, c in rows
        ),
    )


def _grid(
    kind: str,
    names: Iterable[str],
    variants: list[str],
    scores: dict[tuple[str, str], Score],
) -> Table:
    """Scores by name and variant; the denominator stands once where all variants share it."""
    rows = []
    for name in names:
        found = [scores.get((name, variant)) for variant in variants]
        rows.append(
            (
                name,
                *(estimate(s.mean.value, s.interval) if s else number(None) for s in found),
                denominator(*(score.mean for score in found if score)),
            )
        )
    headers = [f"#{variant}" for variant in variants]
    return Table(columns=columns(kind, *headers, "#scored"), rows=tuple(rows))


def _count(count: int, *, bad: bool) -> Cell:
    return Toned(text=str(count), tone="bad") if bad and count else str(count)
