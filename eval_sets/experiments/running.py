"""Running an experiment: each set with each variant once, kept as soon as it is there."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from eval_sets.asking import Progress
from eval_sets.cache import code_digest, library_versions
from eval_sets.experiments.files import (
    RESULT_SCHEMA,
    Experiment,
    Figures,
    Fingerprints,
    StoredResult,
)
from eval_sets.harness import run
from eval_sets.loading import load_set
from eval_sets.results import Report
from eval_sets.running import notes_digest
from eval_sets.types import EvalSet, Variant
from eval_sets.variants import open_variant
from retrieval.atomic import write_atomic
from retrieval.knowledge_base import KnowledgeBase

FindSet = Callable[[str], Path]
_SLUG = re.compile(r"[^\w.+-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One set with one variant."""

    result: StoredResult
    path: Path
    kept: bool
    """True when it was there already, with equal fingerprints, and was not run again."""


def run_experiment(
    experiment: Experiment,
    *,
    find: FindSet | None = None,
    again: bool = False,
    progress: Progress | None = None,
) -> Iterator[Outcome]:
    """Every set with every variant, in the order of the file, each as soon as it is done.

    A result is written before the next begins, so a run that was interrupted goes on where it
    stopped. What is there with equal fingerprints of cases, notes, settings, index, embedder, code
    and libraries is not run again, unless `again`. The index is brought up to date first. `find`
    gives the folder of a set by its name; without it a set is a folder from the file on.

    Raises what `load_set` and `run` raise.
    """
    folders = find or (lambda name: experiment.path.parent / name)
    for name in experiment.about.sets:
        eval_set = load_set(folders(name))
        with KnowledgeBase.open(eval_set.knowledge_base) as knowledge:
            if any(v.settings.get("lookup", {}).get("mode") != "l0" for v in experiment.variants):
                knowledge.reindex(progress=progress)
            for variant in experiment.variants:
                yield _outcome(
                    experiment, eval_set, knowledge, variant, again=again, progress=progress
                )


def _outcome(
    experiment: Experiment,
    eval_set: EvalSet,
    knowledge: KnowledgeBase,
    variant: Variant,
    *,
    again: bool,
    progress: Progress | None,
) -> Outcome:
    fingerprints = _fingerprints(eval_set, knowledge, variant, progress)
    path = _path(experiment, eval_set, variant, fingerprints)
    if not again and (kept := _read(path)) is not None:
        return Outcome(result=kept, path=path, kept=True)
    about = experiment.about
    report = run(
        eval_set,
        knowledge,
        [variant],
        split=about.split,
        metrics=about.metrics,
        faults=(),
        progress=progress,
        cache=not again,
        seed=about.seed,
        resamples=about.resamples,
    )
    result = StoredResult(
        experiment=about.name,
        set=eval_set.name,
        variant=variant.name,
        settings=dict(variant.settings) | ({"fault": variant.fault} if variant.fault else {}),
        split=about.split,
        seed=about.seed,
        resamples=about.resamples,
        created_at=report.created_at,
        fingerprints=fingerprints,
        queries=len(report.cases),
        failed=tuple(row.case_id for row in report.rows if row.status == "failed"),
        metrics={metric: _figures(report, variant.name, metric) for metric in about.metrics},
    )
    write_atomic(path, result.model_dump_json(indent=1) + "\n")
    return Outcome(result=result, path=path, kept=False)


def _read(path: Path) -> StoredResult | None:
    """The result that is there; None when there is none, or one that cannot be read."""
    try:
        return StoredResult.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


def _fingerprints(
    eval_set: EvalSet, knowledge: KnowledgeBase, variant: Variant, progress: Progress | None
) -> Fingerprints:
    with ExitStack() as stack:
        opened = stack.enter_context(open_variant(knowledge, variant, progress=progress))
        seen, notes = opened.fingerprint, notes_digest(opened.entries)
    return Fingerprints(
        cases=eval_set.digest(),
        notes=notes,
        config=seen.config,
        index=seen.index,
        embedding=seen.embedding,
        code=code_digest(),
        libraries=library_versions(),
    )


def _path(
    experiment: Experiment, eval_set: EvalSet, variant: Variant, fingerprints: Fingerprints
) -> Path:
    """The file of a result; another name for anything that could give other figures."""
    about = experiment.about
    key: dict[str, Any] = {
        "schema": RESULT_SCHEMA,
        "fingerprints": fingerprints.model_dump(),
        "set": eval_set.name,
        "settings": variant.settings,
        "fault": variant.fault,
        "variant": variant.name,
        "split": about.split,
        "metrics": about.metrics,
        "seed": about.seed,
        "resamples": about.resamples,
    }
    digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:12]
    return experiment.results / _slug(eval_set.name) / f"{_slug(variant.name)}-{digest}.json"


def _figures(report: Report, variant: str, metric: str) -> Figures:
    score = report.score(variant, metric)
    return Figures(
        value=score.mean.value,
        n=score.mean.n,
        of=score.mean.of,
        low=score.interval.low if score.interval else None,
        high=score.interval.high if score.interval else None,
        by_case=dict(report.values[variant][metric]),
    )


def _slug(name: str) -> str:
    return _SLUG.sub("-", name).strip("-.")[:60] or "unnamed"
