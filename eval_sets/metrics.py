"""Scores of one ranking against one query's labels, equal to trec_eval's where both exist.

A ranking is a sequence of sources, best first; a repeated source counts at its first position
only. Grades are gains as they stand (linear); a note is relevant from grade 1 on. A score is None
when the query has no relevant note, and 0.0 when it has one and nothing was found. A `k` of None
scores the whole ranking.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from eval_sets.rows import mean
from eval_sets.types import Case, Mean, Row
from retrieval.errors import InvalidInput

Grades = Mapping[str, int]
Measure = Callable[[Sequence[str], Grades], float | None]

DEFAULT_METRICS = (
    "nDCG@10",
    "recall@10",
    "MRR",
    "MAP",
    "hit@1",
    "hit@5",
    "precision@5",
    "judged@10",
)


def distinct(ranking: Iterable[str], exclude: Iterable[str] = ()) -> tuple[str, ...]:
    """The ranking with each source at its first position, without the excluded ones."""
    left_out = frozenset(exclude)
    return tuple(source for source in dict.fromkeys(ranking) if source not in left_out)


def ndcg(ranking: Sequence[str], grades: Grades, k: int | None = None) -> float | None:
    """Normalised discounted cumulative gain with gain = grade and discount log2(rank + 1).

    The ideal ranking is cut at k as well (Järvelin & Kekäläinen 2002, as in trec_eval).
    """
    ideal = _dcg(sorted(_positives(grades).values(), reverse=True)[:k])
    if not ideal:
        return None
    return _dcg([max(grades.get(source, 0), 0) for source in distinct(ranking)[:k]]) / ideal


def recall(ranking: Sequence[str], grades: Grades, k: int | None = None) -> float | None:
    """Share of the relevant notes among the first k."""
    relevant = _positives(grades)
    return len(relevant.keys() & set(distinct(ranking)[:k])) / len(relevant) if relevant else None


def precision(ranking: Sequence[str], grades: Grades, k: int | None = None) -> float | None:
    """Share of relevant notes among k places; places left empty count as not relevant."""
    relevant = _positives(grades)
    if not relevant:
        return None
    first = distinct(ranking)[:k]
    places = k if k is not None else len(first)
    return len(relevant.keys() & set(first)) / places if places else 0.0


def reciprocal_rank(ranking: Sequence[str], grades: Grades, k: int | None = None) -> float | None:
    """1 / rank of the first relevant note among the first k, 0.0 when there is none."""
    relevant = _positives(grades)
    if not relevant:
        return None
    rank = first_rank(distinct(ranking)[:k], relevant)
    return 1 / rank if rank else 0.0


def average_precision(ranking: Sequence[str], grades: Grades, k: int | None = None) -> float | None:
    """Mean, over all relevant notes, of the precision at each one's rank; not found counts 0."""
    relevant = _positives(grades)
    if not relevant:
        return None
    found, total = 0, 0.0
    for rank, source in enumerate(distinct(ranking)[:k], start=1):
        if source in relevant:
            found += 1
            total += found / rank
    return total / len(relevant)


def hit(ranking: Sequence[str], grades: Grades, k: int | None = None) -> float | None:
    """1.0 when a relevant note is among the first k, else 0.0."""
    relevant = _positives(grades)
    return float(not relevant.keys().isdisjoint(distinct(ranking)[:k])) if relevant else None


def judged(ranking: Sequence[str], grades: Grades, k: int | None = None) -> float | None:
    """Share of the first k that has a label of any grade.

    None when the query has no label, and also for an empty ranking: there is nothing to share.
    """
    first = distinct(ranking)[:k]
    return sum(source in grades for source in first) / len(first) if grades and first else None


def first_rank(ranking: Sequence[str], relevant: Iterable[str]) -> int | None:
    """1-based rank of the first relevant source, None when there is none."""
    wanted = frozenset(relevant)
    return next((rank for rank, s in enumerate(ranking, start=1) if s in wanted), None)


_MEASURES: dict[str, Callable[[Sequence[str], Grades, int | None], float | None]] = {
    "ndcg": ndcg,
    "recall": recall,
    "r": recall,
    "precision": precision,
    "p": precision,
    "mrr": reciprocal_rank,
    "rr": reciprocal_rank,
    "map": average_precision,
    "ap": average_precision,
    "hit": hit,
    "success": hit,
    "judged": judged,
}


def measure(name: str) -> Measure:
    """The measure with a name such as `nDCG@10`, `recall@100`, `MRR`, `MAP`, `hit@1`.

    Case does not count. Without `@k` the whole ranking is scored. Raises `InvalidInput` for a
    name that is not known.
    """
    function, k = _parse(name)
    return partial(function, k=k)


def depth(names: Iterable[str]) -> int | None:
    """The number of ranks that the named measures read, None when one reads all of them."""
    cuts = [_parse(name)[1] for name in names]
    return None if None in cuts else max((k for k in cuts if k is not None), default=0)


def score_row(row: Row, case: Case, names: Iterable[str]) -> dict[str, float | None]:
    """Name → score of one row, with the case's `exclude` taken out of the ranking first.

    A row that failed or found nothing scores 0.0 when the case has a relevant note.
    """
    ranking = distinct(row.sources, case.exclude)
    return {name: measure(name)(ranking, case.relevant) for name in names}


def score_rows(
    rows: Iterable[Row], cases: Mapping[str, Case], name: str
) -> dict[str, float | None]:
    """Case id → score of each row under one measure; `cases` is by id."""
    return {row.case_id: score_row(row, cases[row.case_id], (name,))[name] for row in rows}


def mean_score(rows: Iterable[Row], cases: Mapping[str, Case], name: str) -> Mean:
    """The mean of one measure over the rows whose case has a relevant note."""
    return mean(score_rows(rows, cases, name).values())


def _parse(name: str) -> tuple[Callable[..., float | None], int | None]:
    match = re.fullmatch(r"([a-z]+)(?:@([1-9][0-9]*))?", name.strip().casefold())
    if not match or match[1] not in _MEASURES:
        raise InvalidInput(
            f"There is no measure {name!r}.",
            next_action=f"Measures: {', '.join(DEFAULT_METRICS)}, each with its own @k.",
        )
    return _MEASURES[match[1]], int(match[2]) if match[2] else None


def _positives(grades: Grades) -> dict[str, int]:
    return {source: grade for source, grade in grades.items() if grade > 0}


def _dcg(gains: Iterable[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))
