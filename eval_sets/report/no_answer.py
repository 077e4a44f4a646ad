"""The part of a report about questions without an answer."""

from collections.abc import Mapping

from eval_sets.contract import NoAnswerMetrics, point_for
from eval_sets.report.document import Section, Table, columns
from eval_sets.report.wording import between, number, share
from eval_sets.results import Report

FALSE_ANSWERS = (0.05, 0.10, 0.20)


def no_answer(report: Report) -> Section | None:
    """How well confidence tells questions with an answer from those without."""
    return account_section(report.no_answer)


def account_section(
    accounts: Mapping[str, NoAnswerMetrics], *, title: str = "No answer"
) -> Section | None:
    """The account of each name; None without any."""
    if not accounts:
        return None
    points = [
        (name, rate, point_for(metrics.points, false_answer=rate))
        for name, metrics in accounts.items()
        for rate in FALSE_ANSWERS
        if metrics.points
    ]
    levels = [
        (name, level, counts)
        for name, metrics in accounts.items()
        for level, counts in metrics.levels.items()
        if any(counts)
    ]
    return Section(
        title=title,
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
