"""The document and the figures of confidence against questions without an answer."""

from collections.abc import Sequence
from dataclasses import asdict

from eval_sets.answerability import Answerability, Separation, by_name
from eval_sets.contract import point_for
from eval_sets.report.document import Document, Section, Table, columns, sections
from eval_sets.report.no_answer import FALSE_ANSWERS, account_section
from eval_sets.report.wording import between, number, signed_between
from retrieval.relevance import DEFAULT_THRESHOLDS, Thresholds
from retrieval.types import Json


def build_answerability(accounts: Sequence[Answerability]) -> Document:
    """Both kinds without an answer, set by set, and what each threshold costs."""
    rows = []
    for one in accounts:
        for kind, separation in _kinds(one):
            rows.append(
                (
                    one.name,
                    kind.replace("_", " "),
                    number(separation.account.auroc),
                    between(separation.account.interval),
                    number(separation.top_similarity),
                    signed_between(separation.gain),
                    number(separation.fitted_elsewhere),
                )
            )
    compared = Section(
        title="Confidence and the best cosine alone",
        blocks=(
            "Wrong base: queries of the other sets. Taken out: the set's own queries without the "
            "notes that answer them. Fitted elsewhere: with weights from the other sets.",
            Table(
                columns=columns(
                    "set",
                    "kind",
                    "#AUROC",
                    "#95 % interval",
                    "#best cosine",
                    "#difference",
                    "#fitted elsewhere",
                ),
                rows=tuple(rows),
            ),
        ),
    )
    return Document(
        title="Confidence where there is no answer",
        subtitle=", ".join(f"{one.name} {one.queries} queries" for one in accounts),
        sections=tuple(sections(compared, account_section(by_name(accounts)))),
    )


def answerability_to_json(
    accounts: Sequence[Answerability], pooled: Thresholds, *, seed: int
) -> Json:
    """The figures as JSON-safe values, with the operating points that the report names.

    `weights` are those shipped, and those that all these sets together give.
    """
    return {
        "schema_version": "1",
        "seed": seed,
        "weights": {"shipped": asdict(DEFAULT_THRESHOLDS), "fitted_on_all": _weights(pooled)},
        "sets": [
            {
                "name": one.name,
                "queries": one.queries,
                "fitted_elsewhere": _weights(one.fitted),
                **{kind: _figures(separation) for kind, separation in _kinds(one)},
            }
            for one in accounts
        ],
    }


def _kinds(one: Answerability) -> Sequence[tuple[str, Separation]]:
    found = (("wrong_base", one.wrong_base), ("taken_out", one.taken_out))
    return [(kind, separation) for kind, separation in found if separation is not None]


def _figures(separation: Separation) -> Json:
    account = separation.account
    points = {f"{rate:.2f}": point_for(account.points, false_answer=rate) for rate in FALSE_ANSWERS}
    return {
        "auroc": account.auroc,
        "interval": asdict(account.interval) if account.interval else None,
        "top_similarity": separation.top_similarity,
        "gain": asdict(separation.gain) if separation.gain else None,
        "fitted_elsewhere": separation.fitted_elsewhere,
        "false_answer": asdict(account.false_answer),
        "false_empty": asdict(account.false_empty),
        "levels": {level: list(counts) for level, counts in account.levels.items()},
        "points": {rate: asdict(point) if point else None for rate, point in points.items()},
    }


def _weights(thresholds: Thresholds | None) -> Json:
    if thresholds is None:
        return None
    names = ("bias", "cosine_weight", "coverage_weight", "overlap_weight")
    return {name: round(getattr(thresholds, name), 4) for name in names}
