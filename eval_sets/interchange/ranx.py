"""The dictionaries that `ranx.Qrels` and `ranx.Run` take and give."""

from collections.abc import Iterable, Mapping

from eval_sets.interchange.trec import Ranking, by_score
from eval_sets.metrics import distinct
from eval_sets.types import Case, Row


def to_ranx_qrels(cases: Iterable[Case]) -> dict[str, dict[str, int]]:
    """Query id → source → grade, for `ranx.Qrels`; queries without a relevant note are left out."""
    return {case.id: dict(case.relevant) for case in cases if case.positives}


def to_ranx_run(rows: Iterable[Row], cases: Mapping[str, Case]) -> dict[str, dict[str, float]]:
    """Query id → source → score, for `ranx.Run`, without the excluded sources.

    Scores are places counted from the end, so that they decrease strictly. A query that found
    nothing is left out: ranx takes no empty results, so evaluate with `make_comparable=True`,
    which counts it as 0.
    """
    rankings = {row.case_id: distinct(row.sources, cases[row.case_id].exclude) for row in rows}
    return {
        query: {source: float(len(ranking) - place) for place, source in enumerate(ranking)}
        for query, ranking in rankings.items()
        if ranking
    }


def from_ranx_run(run: Mapping[str, Mapping[str, float]]) -> Ranking:
    """Query id → (source, score), best first, from `ranx.Run.to_dict()`."""
    return {query: by_score(results) for query, results in run.items()}
