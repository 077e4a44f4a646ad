"""The actions `metric` and `record`."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from llama_index.core.llms import MockLLM

from eval_sets import metrics
from eval_sets.ragas_metrics import score_with_ragas
from eval_sets.rows import mean
from eval_sets.schema import parse_case
from eval_sets.types import Case, Ranked, Row
from retrieval.records import InvocationStore, ToolInvocation
from retrieval.types import Entry
from tests.builders import passage
from tests.cases.case import Expected, UnknownCheck, says

_RANKED = {
    "recall": metrics.recall,
    "precision": metrics.precision,
    "hit_rate": metrics.hit,
    "mrr": metrics.reciprocal_rank,
    "ndcg": metrics.ndcg,
    "average_precision": metrics.average_precision,
}


def score(given: Mapping[str, Any]) -> dict[str, float | None]:
    """Everything that the core says about one input, by name."""
    if "scores" in given or "questions" in given:
        values = [_number(row.get("faithfulness")) for row in given.get("scores", ())]
        total = mean(values)
        return {
            "mean": total.value,
            "scored": total.n,
            "total": total.of,
            "failed": total.of - total.n,
        }
    if "contexts" in given:
        return {name: judged(name, given) for name in ("context_recall", "context_precision")}
    found, gold = given["retrieved_ids"], dict.fromkeys(given["expected_ids"], 1)
    # k cuts the ranking; precision is over distinct sources, so it takes no empty places.
    cut = {name: None if name == "precision" else given.get("k") for name in _RANKED}
    return {name: measure(found, gold, cut[name]) for name, measure in _RANKED.items()}


def judged(name: str, given: Mapping[str, Any]) -> float | None:
    """What ragas says, with a judge that must not be asked."""
    case = Case(id="q", query="how long?", relevant=dict.fromkeys(given["expected_ids"], 1))
    block = {"rank_score": 1.0, "score": None, "layer": "L1"}
    ranking = tuple(Ranked(source=source, **block) for source in given["retrieved_ids"])
    row = Row(case_id="q", variant="l1", status="evaluated", ranking=ranking)
    metric = f"ragas.llm_{name}"
    texts = [
        Entry(source=s, title=s, passages=(passage(s, 0, text),))
        for s, text in zip(given["retrieved_ids"], given["contexts"], strict=True)
    ]
    scores = score_with_ragas([row], {"q": case}, texts, [metric], judge=MockLLM())
    return scores[metric]["q"]


def judge_metric(inputs: list[Mapping[str, Any]], expected: Expected) -> list[str]:
    """What does not hold of the scores."""
    found = {given["name"]: score(given) for given in inputs}
    lines: list[str] = []
    for key, wanted in expected.items():
        scores = [value for row in found.values() for value in row.values() if value is not None]
        if key == "per_input":
            near = expected.get("tolerance", 1e-9)
            lines += [
                f"{name} {metric}: wanted {value}, found {found[name][metric]}"
                for name, row in wanted.items()
                for metric, value in row.items()
                if not _close(found[name][metric], value, near)
            ]
        elif key == "all_in_unit_interval":
            lines += [f"{value} is outside 0..1" for value in scores if not 0 <= value <= 1]
        elif key == "never_scores":
            lines += [f"{value} is never a score" for value in scores if value in wanted]
        elif key == "json_valid_strict":
            json.dumps(found, allow_nan=False)
        elif key == "warnings_mention":
            verdict = says(_author_is_told)(inputs, wanted)
            lines += [] if verdict is True else [f"warnings_mention: {verdict!r}"]
        elif key not in ("tolerance", "does_not_raise", "report_shows"):
            raise UnknownCheck(key)
    return lines


def _author_is_told(inputs: list[Mapping[str, Any]]) -> str:
    """What the author of a set reads about a source that is labelled twice."""
    said = []
    for given in inputs:
        gold = ", ".join(f"{json.dumps(source)}: 1" for source in given["expected_ids"])
        name = json.dumps(given["name"])
        try:
            parse_case(f'{{"id": {name}, "query": {name}, "relevant": {{{gold}}}}}')
        except ValueError as error:
            said.append(f"{given['name']}: {error}")
    return "\n".join(said)


def _number(value: object) -> float | None:
    number = math.nan if value is None else float(str(value))
    return number if math.isfinite(number) else None


def _close(found: float | None, wanted: float | None, tolerance: float) -> bool:
    if found is None or wanted is None:
        return found is wanted
    return math.isclose(found, wanted, abs_tol=tolerance)


def judge_record(given: Mapping[str, Any], folder: Path, expected: Expected) -> list[str]:
    """What does not hold of a record that is written and read back by another store."""
    details = json.loads(
        json.dumps(given["retrieval_details"]),
        object_hook=lambda data: {key: _infinite(value) for key, value in data.items()},
    )
    record = ToolInvocation(
        tool_name="case", caller="case", query="case", outcome="evidence", retrieval_details=details
    )
    url, spool = folder / "records.sqlite3", folder / "spool.jsonl"
    warning = InvocationStore(url, spool).write(record)
    read = InvocationStore(url, spool).get(record.id)
    lines: list[str] = []
    for key, wanted in expected.items():
        if key == "stored":
            lines += [] if warning is None else [str(warning)]
        elif key == "json_valid_strict":
            json.dumps(read.to_dict(), allow_nan=False)
        elif key == "value_at":
            for path, value in wanted.items():
                at = _at(read.retrieval_details, path)
                lines += [] if at == value else [f"{path}: wanted {value!r}, found {at!r}"]
        else:
            raise UnknownCheck(key)
    return lines


def _infinite(value: object) -> object:
    return float(value) if value in ("NaN", "Infinity", "-Infinity") else value


def _at(value: Any, path: str) -> Any:
    for part in path.replace("[", ".").replace("]", "").split("."):
        value = value[int(part)] if part.isdigit() else value[part]
    return value
