"""`run`: a labelled set, a knowledge base and variants in, a report out."""

import platform
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import TYPE_CHECKING, get_args

from eval_sets.cache import code_digest, library_versions
from eval_sets.contract import dedupe_metrics, no_answer_metrics
from eval_sets.metrics import DEFAULT_METRICS, depth, measure, score_rows
from eval_sets.ragas_metrics import check_ragas, is_ragas, score_with_ragas
from eval_sets.results import Report
from eval_sets.running import Running, default_workers, notes_digest
from eval_sets.scoring import compare_all, compare_strata, mean_scores, overlap_of
from eval_sets.statistics import DEFAULT_RESAMPLES
from eval_sets.types import Case, EvalSet, FaultProfile, Row, Split, Variant
from eval_sets.variants import parse_variant
from retrieval.errors import InvalidInput
from retrieval.knowledge_base import KnowledgeBase

if TYPE_CHECKING:
    from eval_sets.asking import Progress
    from eval_sets.ragas_metrics import Judge

UNCUT_DEPTH = 100
"""Ranks that a metric without `@k` reads at most."""
PROFILES: tuple[FaultProfile, ...] = get_args(FaultProfile)


def run(
    eval_set: EvalSet,
    knowledge_base: KnowledgeBase,
    variants: Sequence[str | Variant] = ("l0", "l1", "l0+l1"),
    *,
    split: Split | None = None,
    metrics: Sequence[str] = DEFAULT_METRICS,
    baseline: str | None = None,
    faults: Sequence[FaultProfile] = PROFILES,
    judge: "Judge | None" = None,
    progress: "Progress | None" = None,
    workers: int | None = None,
    cache: bool = True,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
) -> Report:
    """Every query asked of every variant, scored, compared and held against the contract.

        >>> from eval_sets import load_set, run
        >>> from eval_sets.sets import bundled_sets
        >>> from retrieval import KnowledgeBase
        >>> labelled = load_set(bundled_sets()["starter"])
        >>> kb = KnowledgeBase.open(labelled.knowledge_base)
        >>> report = run(labelled, kb, ["l0"], split="dev", resamples=1_000, cache=False)
        >>> report.per_query("nDCG@10").groupby("stratum")["l0"].mean()["exact"] > 0.5
        np.True_

    Variants are texts as `parse_variant` takes them, or values; the others are compared against
    `baseline`, the first one unless named. Retrieval goes as deep as the deepest metric and the
    case's `exclude` need (100 for a metric without `@k`), unless a variant sets `top_k` itself.
    A query that fails or finds nothing scores 0 and is listed; a crash is a row.

    The first variant that asks both layers and is not broken itself is also run under each fault
    of `faults`, recorded into a database of its own; a variant that may derive a filter is also
    run with the filter off, on the queries that it touched. Rows are cached below the state folder
    until anything that could change them changes. `workers` lookups run at once (default: the
    cores, 4 at most). The same input gives the same figures, times aside.

    Raises `InvalidInput` for an unusable variant or metric, `IndexMissing` when a variant needs an
    index that is not there (nothing is built but the index of a variant that changes `[embedding]`
    or `[knowledge]`), `MissingExtra` for ragas metrics without ragas.
    """
    chosen = _variants(variants)
    against = _baseline(chosen, baseline)
    ranked = _ranked(metrics)
    by_ragas = [metric for metric in metrics if is_ragas(metric)]
    check_ragas(by_ragas, judge)
    cases = eval_set.cases if split is None else eval_set.split(split)
    if not cases:
        raise InvalidInput(
            f"The set {eval_set.name!r} has no case in the split {split!r}.",
            next_action="Choose another split.",
        )
    by_id = {case.id: case for case in cases}
    with ExitStack() as stack:
        running = Running(
            base=knowledge_base,
            cases=cases,
            metric=ranked[0],
            depth=depth(ranked) or UNCUT_DEPTH,
            workers=workers or default_workers(),
            use_cache=cache,
            progress=progress,
            stack=stack,
        )
        for variant in chosen:
            running.open(variant)
        running.warnings.extend(_unread_labels(cases, knowledge_base))
        rows = {variant.name: running.rows(variant) for variant in chosen}
        cached = tuple(running.cached)
        accounts = {v.name: running.filter_account(v, rows[v.name]) for v in chosen}
        both = next((v for v in chosen if running.asks_both(v)), None)
        values = {name: _values(of, by_id, ranked) for name, of in rows.items()}
        for name, of in rows.items():
            entries = running.opened[name].entries
            values[name] |= score_with_ragas(
                of,
                by_id,
                entries,
                by_ragas,
                judge=judge,
                progress=progress,
                warn=running.warnings.append,
            )
        fault_results = running.fault_accounts(both, rows[both.name], faults) if both else ()
    fingerprint = knowledge_base.fingerprint
    separable = {case.expect_no_answer for case in cases if case.judged} == {True, False}
    return Report(
        set_name=eval_set.name,
        set_digest=eval_set.digest(),
        cases=tuple(cases),
        variants=chosen,
        rows=tuple(row for of in rows.values() for row in of),
        metrics=tuple(metrics),
        seed=seed,
        resamples=resamples,
        baseline=against,
        split=split,
        values=values,
        scores=mean_scores(values, cases, seed=seed, resamples=resamples),
        comparisons=compare_all(values, against, seed=seed, resamples=resamples),
        stratum_comparisons=compare_strata(
            values, against, ranked[0], cases, seed=seed, resamples=resamples
        ),
        overlaps=overlap_of(rows, by_id),
        filters={name: account for name, account in accounts.items() if account is not None},
        faults=fault_results,
        dedupe={name: dedupe_metrics(of) for name, of in rows.items()},
        no_answer={
            name: no_answer_metrics(of, by_id, seed=seed) for name, of in rows.items() if separable
        },
        versions={"python": platform.python_version(), **library_versions()},
        digests={
            "notes": notes_digest(knowledge_base.entries),
            "code": code_digest(),
            "settings": fingerprint.config,
            **({"index": fingerprint.index} if fingerprint.index else {}),
            **({"embedding": fingerprint.embedding} if fingerprint.embedding else {}),
        },
        cached=cached,
        workers=running.workers,
        warnings=tuple(dict.fromkeys(running.warnings)),
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _unread_labels(cases: Sequence[Case], knowledge_base: KnowledgeBase) -> list[str]:
    """A warning for each labelled note that is missing: it scores as not found."""
    present = {entry.source for entry in knowledge_base.entries}
    queries: dict[str, list[str]] = {}
    for case in cases:
        for source in case.positives:
            if source not in present:
                queries.setdefault(source, []).append(case.id)
    return [
        f"{source} could not be read and counts as not found. It is labelled for "
        f"{', '.join(ids[:5])}{' …' if len(ids) > 5 else '.'}"
        for source, ids in sorted(queries.items())
    ]


def _variants(given: Sequence[str | Variant]) -> tuple[Variant, ...]:
    chosen = tuple(parse_variant(v) if isinstance(v, str) else v for v in given)
    names = [variant.name for variant in chosen]
    twice = next((name for name in names if names.count(name) > 1), None)
    if not names or twice is not None:
        problem = "No variant is named." if not names else f"The variant {twice!r} is there twice."
        raise InvalidInput(problem, next_action="Name each variant once: l0, l1, l0+l1.")
    return chosen


def _baseline(variants: Sequence[Variant], name: str | None) -> str:
    names = [variant.name for variant in variants]
    if name is not None and name not in names:
        raise InvalidInput(
            f"The baseline {name!r} is none of the variants.",
            next_action=f"Variants: {', '.join(names)}.",
        )
    return name or names[0]


def _ranked(metrics: Sequence[str]) -> tuple[str, ...]:
    """The metrics that are computed from ranks; all names are checked."""
    if not metrics or is_ragas(metrics[0]):
        raise InvalidInput(
            "The first metric has to be one of ranks: strata, filter and fallback are told in it.",
            next_action=f"Put one of these first: {', '.join(DEFAULT_METRICS)}.",
        )
    ranked = tuple(name for name in metrics if not is_ragas(name))
    for name in ranked:
        measure(name)
    return ranked


def _values(
    rows: Sequence[Row], cases: Mapping[str, Case], metrics: Sequence[str]
) -> dict[str, Mapping[str, float | None]]:
    return {metric: score_rows(rows, cases, metric) for metric in metrics}
