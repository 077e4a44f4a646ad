"""ragas' context metrics, computed by ragas itself on what the rows retrieved.

    ragas.id_context_precision      share of the retrieved sources that are relevant
    ragas.id_context_recall         share of the relevant sources that were retrieved
    ragas.nonllm_context_precision  the same by the notes' texts, ranked: a text counts as relevant
    ragas.nonllm_context_recall     when it is at least half like that of a relevant note
    ragas.llm_context_precision     judged by an LLM, with the text of the best-graded notes as
    ragas.llm_context_recall        the reference answer
    ragas.llm_context_relevance     judged by an LLM, without a reference

Contexts are whole notes, since labels name notes: the first ten of a ranking, five for a judge.
A query without relevant notes has no score. One for which nothing was retrieved has 0.0, where
ragas gives NaN or fails and drops the row; a NaN of ragas or a failed judge leaves a row unscored.
"""

import asyncio
import contextlib
import importlib
import io
import math
import os
import warnings
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from eval_sets.metrics import distinct
from eval_sets.types import Case, Row
from retrieval.errors import InvalidInput, MissingExtra
from retrieval.types import Entry

if TYPE_CHECKING:
    from eval_sets.asking import Progress

T = TypeVar("T")
Judge: TypeAlias = Any
"""An LLM of LlamaIndex."""

PREFIX = "ragas."
DEPTH = 10
JUDGE_DEPTH = 5
JUDGE_SECONDS = 120.0
JUDGES_AT_ONCE = 4
_CLASSES = {
    "ragas.id_context_precision": "_IDBasedContextPrecision",
    "ragas.id_context_recall": "_IDBasedContextRecall",
    "ragas.nonllm_context_precision": "_NonLLMContextPrecisionWithReference",
    "ragas.nonllm_context_recall": "_NonLLMContextRecall",
    "ragas.llm_context_precision": "_LLMContextPrecisionWithReference",
    "ragas.llm_context_recall": "_LLMContextRecall",
    "ragas.llm_context_relevance": "_ContextRelevance",
}
_JUDGED = "ragas.llm_"


def is_ragas(metric: str) -> bool:
    """True for a name that begins with `ragas.`, whether there is such a metric or not."""
    return metric.startswith(PREFIX)


def check_ragas(metrics: Iterable[str], judge: Judge | None) -> None:
    """Raises `InvalidInput` for an unknown metric and for a judged one without a judge."""
    for name in metrics:
        if name not in _CLASSES:
            raise InvalidInput(
                f"There is no metric {name!r}.", next_action=f"Known: {', '.join(_CLASSES)}."
            )
        if name.startswith(_JUDGED) and judge is None:
            raise InvalidInput(
                f"The metric {name!r} needs an LLM that judges.",
                next_action="Name a LlamaIndex LLM: --ragas-llm module:attribute, or judge=.",
            )


def load_judge(reference: str) -> Judge:
    """The LLM that `module:attribute` names; dots lead on, as in `llama_index.core:Settings.llm`.

    A class or a function is called without arguments. Raises `InvalidInput` when there is none.
    """
    module, _, path = reference.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for name in path.split("."):
            found = getattr(found, name)
    except (ImportError, AttributeError, ValueError) as error:
        raise InvalidInput(
            f"The LLM {reference!r} cannot be loaded: {error}.",
            next_action="Write module:attribute, such as my_models:judge.",
        ) from error
    judge = found if hasattr(found, "acomplete") and not isinstance(found, type) else None
    if judge is None and callable(found):
        judge = found()
    if not hasattr(judge, "acomplete"):
        raise InvalidInput(
            f"{reference!r} is no LLM of LlamaIndex: it has no `acomplete`.",
            next_action="Name an instance, or a function that makes one.",
        )
    return judge


def score_with_ragas(
    rows: Sequence[Row],
    cases: Mapping[str, Case],
    entries: Iterable[Entry],
    metrics: Sequence[str],
    *,
    judge: Judge | None = None,
    progress: "Progress | None" = None,
    warn: Callable[[str], None] | None = None,
) -> dict[str, dict[str, float | None]]:
    """Metric → case id → score of each row. `entries` give the texts of the sources.

    `warn` hears how many rows a judge left unscored, and why the first of them. Raises
    `InvalidInput` as `check_ragas`, and `MissingExtra` without ragas.
    """
    check_ragas(metrics, judge)
    if not metrics:
        return {}
    texts = {entry.source: "\n\n".join(p.text for p in entry.passages) for entry in entries}
    scores: dict[str, dict[str, float | None]] = {}
    for name in metrics:
        metric = _open(name, judge)
        samples = {
            row.case_id: _sample(row, cases[row.case_id], texts, name)
            for row in rows
            if cases[row.case_id].positives
        }
        asked = {key: sample for key, sample in samples.items() if sample is not None}
        found = _run(_score_all(metric, list(asked.values()), name, progress))
        if warn is not None and (told := _unscored(name, found)):
            warn(told)
        scored = dict(zip(asked, map(_number, found), strict=True))
        scores[name] = {
            row.case_id: scored.get(row.case_id, 0.0 if row.case_id in samples else None)
            for row in rows
        }
    return scores


def _open(name: str, judge: Judge | None) -> Any:
    # ragas reports each use to its makers unless it is told not to before its first one.
    os.environ.setdefault("RAGAS_DO_NOT_TRACK", "true")
    try:
        metrics = importlib.import_module("ragas.metrics")
        metric = getattr(metrics, _CLASSES[name])()
        if name.startswith(_JUDGED):
            llms = importlib.import_module("ragas.llms")
            with warnings.catch_warnings():
                # Deprecated in favour of clients of single vendors.
                warnings.simplefilter("ignore", DeprecationWarning)
                # LlamaIndex's LLMs try again by themselves; ragas would go on for minutes.
                once = importlib.import_module("ragas.run_config").RunConfig(max_retries=1)
                metric.llm = llms.LlamaIndexLLMWrapper(judge, run_config=once)
    except ImportError:
        raise MissingExtra(f"The metric {name}", "eval") from None
    return metric


def _sample(row: Row, case: Case, texts: Mapping[str, str], name: str) -> Any:
    """What ragas is asked about one row; None when nothing with any text was retrieved."""
    from ragas.dataset_schema import SingleTurnSample

    depth = JUDGE_DEPTH if name.startswith(_JUDGED) else DEPTH
    found = distinct(row.sources, case.exclude)[:depth]
    if not any(texts.get(source, "").strip() for source in found):
        return None
    best = max(case.positives.values())
    return SingleTurnSample(
        user_input=case.query,
        retrieved_context_ids=list(found),
        reference_context_ids=list(case.positives),
        retrieved_contexts=[texts.get(source, "") for source in found],
        reference_contexts=[texts.get(source, "") for source in case.positives],
        reference="\n\n".join(
            texts.get(source, "") for source, grade in case.positives.items() if grade == best
        ),
    )


async def _score_all(
    metric: Any, samples: Sequence[Any], name: str, progress: "Progress | None"
) -> list[float | BaseException]:
    gate = asyncio.Semaphore(JUDGES_AT_ONCE)
    done = 0

    async def score(sample: Any) -> float:
        nonlocal done
        async with gate:
            try:
                return float(await metric.single_turn_ascore(sample, timeout=JUDGE_SECONDS))
            finally:
                done += 1
                if progress is not None:
                    progress(name, done, len(samples))

    # A judge may fail in any way; that leaves its row unscored and no other one.
    return await asyncio.gather(*map(score, samples), return_exceptions=True)


def _number(value: float | BaseException) -> float | None:
    return None if isinstance(value, BaseException) or not math.isfinite(value) else value


def _unscored(name: str, found: Sequence[float | BaseException]) -> str | None:
    missing = [value for value in found if _number(value) is None]
    if not missing:
        return None
    first = missing[0]
    why = f"{type(first).__name__}: {first}" if isinstance(first, BaseException) else "no number"
    return f"{name} left {len(missing)} of {len(found)} rows unscored; the first one: {why}."


def _run(coroutine: Coroutine[Any, Any, T]) -> T:
    """The coroutine's value, also where an event loop runs already, as in a notebook."""
    # ragas prints what a judge failed with; the report says how many rows it scored.
    with ThreadPoolExecutor(1) as pool, contextlib.redirect_stdout(io.StringIO()):
        return pool.submit(asyncio.run, coroutine).result()
