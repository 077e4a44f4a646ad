"""Calibration of one index: thresholds found on `dev`, told on `test`, kept with the index."""

from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from eval_sets.calibration import MINIMUM, Calibration, calibrate, evaluate_calibration
from eval_sets.contract import NoAnswerMetrics, no_answer_metrics
from eval_sets.running import Running, default_workers
from eval_sets.types import EvalSet, Variant
from retrieval.calibration import CalibrationFile, indexing_digest, write_calibration
from retrieval.errors import IndexMissing
from retrieval.knowledge_base import KnowledgeBase

if TYPE_CHECKING:
    from eval_sets.asking import Progress

_DEPTH = 8


WORSE = 0.02
"""Fall of the AUROC on `test` from which on a calibration is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationReport:
    """What was found on `dev`, and what it does on `test`."""

    set_name: str
    set_digest: str
    calibration: Calibration
    before: NoAnswerMetrics
    """On `test`, with the thresholds that held until now."""
    after: NoAnswerMetrics
    """On `test`, with the new ones."""
    path: Path | None
    """Where they are stored; None when they are not."""
    is_worse: bool
    """True when they separate worse on `test` than those before; such are not stored."""
    index: str
    embedding: str
    seed: int


def calibrate_index(
    eval_set: EvalSet,
    knowledge_base: KnowledgeBase,
    *,
    store: bool = True,
    minimum: int = MINIMUM,
    progress: "Progress | None" = None,
    workers: int | None = None,
    cache: bool = True,
    seed: int = 0,
) -> CalibrationReport:
    """Thresholds of `relevance` for this index, from the queries of a set labelled on its notes.

    The queries are looked up with the settings of the knowledge base. Nothing is stored when the
    AUROC on `test` falls by more than 0.02. What is stored holds from
    the next lookup on, in every process, until the embedder or the settings change.

    Raises `TooFewLabels` with fewer than `minimum` usable queries with an answer, or without one,
    in `dev`; `IndexMissing` without a usable index.
    """
    variant = Variant(name="calibration")
    with ExitStack() as stack:
        running = Running(
            base=knowledge_base,
            cases=eval_set.cases,
            metric="",
            depth=_DEPTH,
            workers=workers or default_workers(),
            use_cache=cache,
            progress=progress,
            stack=stack,
        )
        rows = running.rows(variant)
    fingerprint = knowledge_base.fingerprint
    if fingerprint.index is None or fingerprint.embedding is None:
        raise IndexMissing(
            "There is no index to calibrate.", next_action="Run `lookup-knowledge index`."
        )
    cases = {case.id: case for case in eval_set.cases}
    dev = [row for row in rows if cases[row.case_id].split == "dev"]
    test = [row for row in rows if cases[row.case_id].split == "test"]
    calibration = calibrate(dev, cases, minimum=minimum)
    before = no_answer_metrics(test, cases, seed=seed)
    after = evaluate_calibration(test, cases, calibration, seed=seed)
    is_worse = (after.auroc or 0.0) < (before.auroc or 0.0) - WORSE
    path = None
    if store and not is_worse:
        thresholds = calibration.thresholds
        file = CalibrationFile(
            created_at=datetime.now(UTC).isoformat(timespec="seconds"),
            labelled_set=f"{eval_set.name} {eval_set.digest()}",
            answerable=calibration.answerable,
            unanswerable=calibration.unanswerable,
            embedding=fingerprint.embedding,
            settings=indexing_digest(knowledge_base.settings),
            index=fingerprint.index,
            bias=thresholds.bias,
            cosine_weight=thresholds.cosine_weight,
            coverage_weight=thresholds.coverage_weight,
            overlap_weight=thresholds.overlap_weight,
            strong=thresholds.strong,
            moderate=thresholds.moderate,
            semantic_floor=calibration.semantic_floor,
        )
        path = write_calibration(knowledge_base.location.state_dir, file)
    return CalibrationReport(
        set_name=eval_set.name,
        set_digest=eval_set.digest(),
        calibration=calibration,
        before=before,
        after=after,
        path=path,
        is_worse=is_worse,
        index=fingerprint.index,
        embedding=fingerprint.embedding,
        seed=seed,
    )
