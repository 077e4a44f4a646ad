"""Does confidence tell questions that the notes answer from those that they do not?

Two kinds without an answer are made from labelled sets: queries of another set, and a set's own
queries after the notes that answer them were taken out.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from eval_sets.asking import Asking, Progress, ask_all
from eval_sets.calibration import Point, fit, point_of
from eval_sets.contract import NoAnswerMetrics, no_answer_metrics
from eval_sets.statistics import Interval, auroc, auroc_interval
from eval_sets.types import Case, EvalSet, Row
from retrieval.editing import EditedBase
from retrieval.knowledge_base import KnowledgeBase
from retrieval.relevance import Thresholds

DEPTH = 8
_VARIANT = "l0+l1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The answers of one knowledge base."""

    name: str
    answered: tuple[Row, ...]
    """The set's own queries."""
    wrong_base: tuple[Row, ...]
    """Queries of the other sets."""
    taken_out: tuple[Row, ...]
    """The set's own queries without the notes that answer them."""
    right: frozenset[str]
    """Cases of `answered` whose primary is relevant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Separation:
    """How far the confidence of the answered queries stands above that of the others."""

    account: NoAnswerMetrics
    top_similarity: float | None
    """AUROC of the best cosine among the blocks (0 without one)."""
    gain: Interval | None
    """Of the AUROC of confidence minus that of the top similarity."""
    fitted_elsewhere: float | None
    """AUROC with the weights that were fitted on the other sets; None with a single set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answerability:
    """The account of one set, or what stands for it when nothing could be asked."""

    name: str
    queries: int
    wrong_base: Separation | None
    """None when there is no other set."""
    taken_out: Separation
    fitted: Thresholds | None
    """Weights from the other sets; None with a single set."""


def ask_answerable(
    eval_set: EvalSet,
    base: KnowledgeBase,
    others: Sequence[EvalSet],
    *,
    queries: int,
    seed: int = 0,
    progress: Progress | None = None,
) -> Asked:
    """Asks at most `queries` of the set, of the set without its answers, and of the others.

    The notes that a case excludes are taken out for both its questions. No note is embedded, and
    nothing is written: the knowledge base answers as it would after an index run without them.
    """
    own = _sample([c for c in eval_set.cases if c.positives], queries, seed)
    foreign = _sample(
        [
            replace(case, id=f"{other.name}: {case.id}", relevant={}, expect_no_answer=True)
            for other in others
            for case in other.cases
        ],
        queries,
        seed,
    )
    answered: list[Row] = []
    taken_out: list[Row] = []
    for number, case in enumerate(own, start=1):
        answered += _ask(base, case, gone=case.exclude)
        taken_out += _ask(base, case, gone=(*case.exclude, *case.positives))
        if progress is not None:
            progress(f"{eval_set.name} without its answers", number, len(own))
    relevant = {case.id: case.positives for case in own}
    asking = Asking(variant=_VARIANT, depth=DEPTH)
    return Asked(
        name=eval_set.name,
        answered=tuple(answered),
        wrong_base=ask_all(base, foreign, asking, progress=progress),
        taken_out=tuple(taken_out),
        right=frozenset(
            row.case_id
            for row in answered
            if row.ranking and row.ranking[0].source in relevant[row.case_id]
        ),
    )


def measure(asked: Sequence[Asked], *, seed: int = 0) -> tuple[Answerability, ...]:
    """The account of each set, with weights fitted on the others beside the shipped ones."""
    accounts = []
    for one in asked:
        elsewhere = [other for other in asked if other is not one]
        fitted = fit_weights(elsewhere) if elsewhere else None
        accounts.append(
            Answerability(
                name=one.name,
                queries=len(one.answered),
                wrong_base=_separate(one.answered, one.wrong_base, fitted, seed)
                if one.wrong_base
                else None,
                taken_out=_separate(one.answered, one.taken_out, fitted, seed),
                fitted=fitted,
            )
        )
    return tuple(accounts)


def fit_weights(asked: Sequence[Asked]) -> Thresholds:
    """Weights that tell right primaries from those of both kinds without an answer.

    Every set weighs the same, and so do the two kinds.
    """
    right = [[row for row in one.answered if row.case_id in one.right] for one in asked]
    wrong = [rows for one in asked for rows in (one.wrong_base, one.taken_out)]
    return fit([_points(rows) for rows in right], [_points(rows) for rows in wrong])


def _ask(base: KnowledgeBase, case: Case, *, gone: Sequence[str]) -> tuple[Row, ...]:
    present = {entry.source for entry in base.entries}
    edited = EditedBase(base, dict.fromkeys((s for s in gone if s in present), None))
    # What is out cannot come back, so a case without `exclude` asks for no more blocks than usual.
    return ask_all(edited, [replace(case, exclude=())], Asking(variant=_VARIANT, depth=DEPTH))


def _separate(
    answered: Sequence[Row], others: Sequence[Row], fitted: Thresholds | None, seed: int
) -> Separation:
    # The same query stands on both sides, so each side gets its own name for it.
    unanswered = [replace(row, case_id=f"no answer: {row.case_id}") for row in others]
    cases = {row.case_id: Case(id=row.case_id, query="", relevant={"": 1}) for row in answered}
    cases |= {
        row.case_id: Case(id=row.case_id, query="", expect_no_answer=True) for row in unanswered
    }
    both = (answered, unanswered)
    sure, unsure = (_confidences(rows) for rows in both)
    near, far = ([_top_similarity(row) for row in rows] for rows in both)
    elsewhere = None
    if fitted is not None:
        elsewhere = auroc(*(_confidences(rows, fitted) for rows in both))
    return Separation(
        account=no_answer_metrics([*answered, *unanswered], cases, seed=seed),
        top_similarity=auroc(near, far),
        gain=auroc_interval(sure, unsure, over=(near, far), seed=seed),
        fitted_elsewhere=elsewhere,
    )


def _confidences(rows: Sequence[Row], weights: Thresholds | None = None) -> list[float]:
    """As the lookup told it, or with other weights where L1 answered; 0 for a failed row."""
    found = []
    for row in rows:
        point = point_of(row) if weights is not None else None
        if weights is not None and point is not None:
            found.append(weights.confidence(*point))
        else:
            found.append(row.relevance.confidence if row.relevance else 0.0)
    return found


def _top_similarity(row: Row) -> float:
    return max((block.score for block in row.ranking if block.score is not None), default=0.0)


def _points(rows: Sequence[Row]) -> list[Point]:
    return [point for row in rows if (point := point_of(row)) is not None]


def _sample(cases: Sequence[Case], size: int, seed: int) -> list[Case]:
    """At most `size` of the cases, in their order; the same for the same seed."""
    chosen = random.Random(seed).sample(range(len(cases)), min(size, len(cases)))
    return [cases[index] for index in sorted(chosen)]


def by_name(accounts: Sequence[Answerability]) -> Mapping[str, NoAnswerMetrics]:
    """Every account under the name of its set and kind."""
    found: dict[str, NoAnswerMetrics] = {}
    for one in accounts:
        if one.wrong_base is not None:
            found[f"{one.name}, wrong base"] = one.wrong_base.account
        found[f"{one.name}, taken out"] = one.taken_out.account
    return found
