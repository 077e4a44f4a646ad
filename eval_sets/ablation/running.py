"""`ablate`: labelled sets in, every baseline and every part measured, query by query."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from eval_sets.ablation.baselines import BASELINES, Lists, best_by_note
from eval_sets.ablation.parts import OURS, PARTS, Part
from eval_sets.ablation.results import Ablation, Measured, SetAblation
from eval_sets.cache import library_versions
from eval_sets.contract import filter_metrics
from eval_sets.metrics import depth, measure, score_rows
from eval_sets.rows import mean, row_of
from eval_sets.statistics import DEFAULT_RESAMPLES, Comparison, bootstrap_mean, compare, correct
from eval_sets.types import Case, EvalSet, Row
from eval_sets.variants import PATIENCE_SECONDS
from retrieval.errors import IndexMissing, InvalidInput
from retrieval.knowledge_base import KnowledgeBase
from retrieval.lookup import View, run_lookup
from retrieval.options import LookupOptions, settle_options
from retrieval.semantic.ranking import rank_best
from retrieval.semantic.retriever import PASSAGES, HybridRetriever
from retrieval.text import content_words
from retrieval.types import L1Outcome
from retrieval.worker import TimeLimit

if TYPE_CHECKING:
    from eval_sets.asking import Progress
    from retrieval.semantic.parts import QueryEmbedder

METRIC = "nDCG@10"
_Scores = dict[str, float | None]


class _Remembering:
    """An embedder that embeds each query once, however many ways it is looked up."""

    def __init__(self, embedder: "QueryEmbedder") -> None:
        self._embedder = embedder
        self._vectors: dict[str, NDArray[np.float32]] = {}

    @property
    def is_loaded(self) -> bool:
        return self._embedder.is_loaded

    def embed_query(self, text: str) -> NDArray[np.float32]:
        if text not in self._vectors:
            self._vectors[text] = self._embedder.embed_query(text)
        return self._vectors[text]


def ablate(
    sets: Sequence[tuple[EvalSet, KnowledgeBase]],
    *,
    metric: str = METRIC,
    progress: "Progress | None" = None,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
) -> Ablation:
    """The default lookup beside each baseline and beside itself without each part, on each set.

    Every way asks the same queries of the same index; each query is embedded once. `exclude` is
    taken out before scoring, and queries without a relevant note have no score. Raises
    `IndexMissing` for a knowledge base without a usable index, and `InvalidInput` for no set, two
    of one name, or a metric without `@k`.
    """
    if not sets:
        raise InvalidInput("No labelled set is named.", next_action="Name at least one.")
    names = [eval_set.name for eval_set, _ in sets]
    if again := next((name for name in names if names.count(name) > 1), None):
        raise InvalidInput(
            f"Two of the sets are named {again!r}.",
            next_action="Name each set once; `name` in set.yaml tells them apart.",
        )
    deep = depth([metric])
    if deep is None:
        raise InvalidInput(
            f"The metric {metric} reads the whole ranking.", next_action=f"Name one like {METRIC}."
        )
    measured: list[SetAblation] = []
    everything: dict[str, _Scores] = {}
    embedding: str | None = None
    for eval_set, kb in sets:
        view = _open(kb)
        embedding = view.fingerprint.embedding
        rows = _ask(eval_set, kb, view, deep, progress)
        cases = {case.id: case for case in eval_set.cases}
        scores = _score_baselines(eval_set, view, metric)
        scores |= {name: score_rows(found, cases, metric) for name, found in rows.items()}
        for name, values in scores.items():
            own = {f"{eval_set.name} {key}": value for key, value in values.items()}
            everything.setdefault(name, {}).update(own)
        measured.append(
            SetAblation(
                name=eval_set.name,
                digest=eval_set.digest(),
                queries=len(eval_set.cases),
                notes=len(view.entries),
                passages=sum(len(entry.passages) for entry in view.entries.values()),
                measured=_compare(scores, metric, seed, resamples),
                filters={
                    mode: filter_metrics(
                        rows[mode],
                        cases,
                        unfiltered=rows["off"],
                        categories={e.source: e.categories for e in view.entries.values()},
                        metric=metric,
                    )
                    for mode in (OURS, "strict")
                },
            )
        )
    return Ablation(
        metric=metric,
        sets=tuple(measured),
        pooled=_compare(everything, metric, seed, resamples) if len(sets) > 1 else (),
        embedding=embedding,
        seed=seed,
        resamples=resamples,
        versions=library_versions(),
    )


def _open(kb: KnowledgeBase) -> View:
    view = kb.view
    if not isinstance(view.retriever, HybridRetriever):
        why = view.unavailable.message if view.unavailable else "It has none."
        raise IndexMissing(
            f"An ablation of {kb.location.root} needs an index. {why}",
            next_action="Run `lookup-knowledge index`, or `reindex()` on the knowledge base.",
        )
    return replace(
        view, retriever=replace(view.retriever, embedder=_Remembering(view.retriever.embedder))
    )


def _ask(
    eval_set: EvalSet, kb: KnowledgeBase, view: View, deep: int, progress: "Progress | None"
) -> dict[str, tuple[Row, ...]]:
    limit: TimeLimit[L1Outcome] = TimeLimit()
    rows: dict[str, tuple[Row, ...]] = {}
    total = len(PARTS) * len(eval_set.cases)
    for number, part in enumerate(PARTS):
        changed = part.change(view)
        found = []
        for done, case in enumerate(eval_set.cases, start=number * len(eval_set.cases) + 1):
            options = _options(kb, changed, part, case, deep)
            found.append(row_of(case, part.name, run_lookup(case.query, changed, options, limit)))
            if progress:
                progress(f"{eval_set.name}: {part.name}", done, total)
        rows[part.name] = tuple(found)
    return rows


def _options(kb: KnowledgeBase, view: View, part: Part, case: Case, deep: int) -> LookupOptions:
    section = kb.settings.lookup.model_copy(
        update={"l1_timeout": PATIENCE_SECONDS, "budget": None, "min_score": None}
    )
    given = dict.fromkeys(("mode", "filter_mode", "l1_mode", "min_score", "budget"))
    return settle_options(
        section,
        view.entries.values(),
        filters=None,
        fault=None,
        **{**given, **part.options, "top_k": deep + len(case.exclude)},
    )


def _score_baselines(eval_set: EvalSet, view: View, metric: str) -> dict[str, _Scores]:
    retriever = cast(HybridRetriever, view.retriever)
    score = measure(metric)
    found: dict[str, _Scores] = {name: {} for name in BASELINES}
    for case in eval_set.cases:
        lists = _lists(retriever, case.query)
        for name, (rank, _) in BASELINES.items():
            left = [source for source in rank(lists) if source not in case.exclude]
            found[name][case.id] = score(left, case.relevant)
    return found


def _lists(retriever: HybridRetriever, query: str) -> Lists:
    """What the dense and the full-text request give, each as deep as the lookup's own."""
    vector = retriever.embedder.embed_query(query)
    text = retriever.index.fulltext
    bm25 = text.score_passages(content_words(query))
    best = [place for place in rank_best(bm25, PASSAGES).tolist() if bm25[place] > 0]
    worded = [(text.passage_ids[place], float(bm25[place])) for place in best]
    return Lists(
        dense=best_by_note(retriever.index.vectors.query(vector, PASSAGES), retriever.source_of),
        bm25=best_by_note(worded, retriever.source_of),
    )


def _compare(
    scores: Mapping[str, _Scores], metric: str, seed: int, resamples: int
) -> tuple[Measured, ...]:
    """Each way beside the default; Holm over the peers, and over the other ways."""
    comparisons: dict[str, Comparison] = {}
    for family in (list(BASELINES), [part.name for part in PARTS if part.name != OURS]):
        made = [
            compare(
                scores[name],
                scores[OURS],
                names=(name, OURS),
                metric=metric,
                seed=seed,
                resamples=resamples,
            )
            for name in family
        ]
        comparisons |= dict(zip(family, correct(made), strict=True))
    says = {name: words for name, (_, words) in BASELINES.items()}
    says |= {part.name: part.says for part in PARTS}
    return tuple(
        Measured(
            name=name,
            says=says[name],
            is_peer=name in BASELINES,
            mean=mean(scores[name].values()),
            interval=bootstrap_mean(
                [value for value in scores[name].values() if value is not None],
                resamples=resamples,
                seed=seed,
            ),
            comparison=comparisons.get(name),
        )
        for name in (*BASELINES, *(part.name for part in PARTS))
    )
