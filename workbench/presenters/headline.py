"""The headline of a report: the first metrics as cards, each variant with its interval."""

from markupsafe import Markup

from eval_sets.report.wording import between, number, signed, signed_between
from eval_sets.results import Report, Score
from eval_sets.statistics import Comparison, Interval
from workbench.presenters.markup import chip, joined, tag
from workbench.presenters.numbers import counted

CARDS = 3


def present_headline(report: Report) -> list[Markup]:
    """A card for each of the first metrics."""
    return [_card(report, metric) for metric in report.metrics[:CARDS]]


def present_subtitle(report: Report) -> str:
    """What was run, in one line."""
    parts = [
        report.set_name,
        counted(len(report.cases), "query", "queries"),
        *([f"split {report.split}"] if report.split else []),
        counted(len(report.variants), "variant"),
        report.created_at.replace("T", " ").replace("+00:00", " UTC"),
    ]
    if report.cached:
        parts.append(f"rows of an earlier run: {', '.join(dict.fromkeys(report.cached))}")
    return " · ".join(part for part in parts if part)


def _card(report: Report, metric: str) -> Markup:
    scores = {s.variant: s for s in report.scores if s.metric == metric and s.stratum is None}
    compared = {c.b: c for c in report.comparisons if c.metric == metric}
    rows = [
        _row(variant.name, scores.get(variant.name), compared.get(variant.name))
        for variant in report.variants
    ]
    return tag("article", tag("h3", metric), joined(rows), css="kw-card kw-metric")


def _row(name: str, score: Score | None, comparison: Comparison | None) -> Markup:
    mean = score.mean if score else None
    value = number(mean.value if mean else None)
    if mean is None or mean.value is None or score is None:
        facts = "no query with a relevant note"
    else:
        asked = f"{mean.n} of {mean.of} queries"
        spread = between(score.interval) if score.interval else "– (one query)"
        facts = f"95 % {spread} · {asked}"
    return tag(
        "div",
        tag("div", tag("span", name), tag("b", value, css="kw-number"), css="kw-line"),
        _span(mean.value if mean else None, score.interval if score else None),
        tag("div", facts, css="kw-muted kw-number"),
        _verdict(comparison) if comparison else "",
        css="kw-variant",
    )


def _span(value: float | None, interval: Interval | None) -> Markup:
    """The mean and its interval on a line from 0 to 1."""
    if value is None:
        return Markup()
    low, high = (interval.low, interval.high) if interval else (value, value)
    low, high, at = (min(max(part, 0.0), 1.0) * 100 for part in (low, high, value))
    return Markup(
        '<div class="kw-span"><i style="left:{0:.1f}%;width:{1:.1f}%"></i>'
        '<b style="left:{2:.1f}%"></b></div>'
    ).format(low, max(high - low, 0.4), at)


def _verdict(comparison: Comparison) -> Markup:
    """What the comparison with the baseline allows to say; the whole sentence when pointed at."""
    change = f"{signed(comparison.difference)} against {comparison.a}"
    if comparison.difference is None:
        word, tone = f"– against {comparison.a}: no scored query in common", ""
    elif not comparison.wins and not comparison.losses:
        word, tone = f"the same as {comparison.a} on every query", ""
    elif not comparison.distinguishable:
        word, tone = f"{change}: not distinguishable", ""
    else:
        better = comparison.difference > 0
        word, tone = f"{change}: {'better' if better else 'worse'}", "good" if better else "bad"
    sentence = f"{comparison.sentence()} Interval {signed_between(comparison.interval)}."
    return chip(word, tone=tone, title=sentence)
