"""The action `lookup`, and what any step that looks up has to show."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrieval import KnowledgeBase, LookupResult, RetrievalError, lookup_knowledge
from retrieval.filtering import is_within
from retrieval.settings import load_settings
from retrieval.text import fold
from tests.cases.case import (
    Case,
    Expected,
    UnknownCheck,
    equals,
    excludes,
    holds,
    includes,
    lacks,
    noted,
    problems,
    same_set,
    says,
)
from tests.cases.embedders import CountingEmbedder, open_counting

_INPUT = {"query", "query_json", "query_repeat", "expect", "op", "times"}
_OPTIONS = {"top_k", "min_score", "filters", "fault"}
_CONFIG = {"embedder", "chunk_size_tokens"}


@dataclass(frozen=True)
class Answer:
    """A result with what is known about how it came about."""

    base: KnowledgeBase
    result: LookupResult
    raised: RetrievalError | None
    embedded: int
    seconds: float

    @property
    def details(self) -> dict[str, Any]:
        record = self.base.records().get(self.result.invocation_id or "")
        return {**record.retrieval_details, "error": record.error, "query": record.query}

    @property
    def error(self) -> str:
        return str(self.raised or "") + str(self.result.error or "")


def open_base(
    root: Path, state: Path, config: Mapping[str, Any], **lookup: object
) -> tuple[KnowledgeBase, CountingEmbedder]:
    """A knowledge base with the embedder that the case names."""
    if unknown := config.keys() - _CONFIG:
        raise UnknownCheck(f"config: {unknown}")
    name = str(config["embedder"]).split()[0]
    window = int(config.get("chunk_size_tokens", 256))
    embedder = open_counting(name, window)
    model = "hash:64" if name.startswith("test-") else name
    settings = {
        "state_dir": str(state),
        "embedding": {"model": model, "window": window},
        "lookup": {"l1_timeout": 60.0, **lookup},
    }
    return KnowledgeBase(*load_settings(root, settings), embedder=embedder), embedder


def ask(base: KnowledgeBase, embedder: CountingEmbedder, check: Mapping[str, Any]) -> Answer:
    """The tool's answer to a check, and what `lookup` itself raises for it."""
    unknown = check.keys() - _INPUT - _OPTIONS - {"remove_vectors_of"}
    if unknown:
        raise UnknownCheck(f"input of a lookup: {unknown}")
    query = check.get("query")
    if "query_json" in check:
        query = json.loads(check["query_json"])
    if "query_repeat" in check:
        text, times = check["query_repeat"]
        query = text * times
    options = {name: check[name] for name in _OPTIONS & check.keys()}
    if fault := options.pop("fault", None):
        options["fault"] = None if fault == "none" else fault.replace("_", "-")
    before, started = embedder.queries, time.monotonic()
    result = lookup_knowledge(query, kb=base, **options)
    seconds = time.monotonic() - started
    raised: RetrievalError | None = None
    if result.error is not None:
        try:
            base.lookup(query, **options)
        except RetrievalError as error:
            raised = error
    return Answer(base, result, raised, embedder.queries - before, seconds)


def judge_lookups(case: Case, root: Path, state: Path, expected: Expected) -> list[str]:
    """What does not hold of the checks, each on the same index."""
    from tests.cases.faults import remove_vectors

    config = {"embedder": "minilm", **case.data.get("config", {})}
    checks = expected["checks"]
    # `auto` may let in nearly as good hits: where only a category may answer, it is `strict`.
    exact = any(_only_category(check.get("expect", {})) for check in checks)
    lookup = {"filter_mode": "strict"} if exact else {}
    lines: list[str] = []
    for key, wanted in expected.items():
        if key == "empty_index":
            nothing = state.parent / "nothing"
            nothing.mkdir(exist_ok=True)
            base, embedder = open_base(nothing, state / "nothing", config)
            base.reindex()
            lines += judge_answer(ask(base, embedder, wanted), wanted["expect"], "no notes ")
            base.close()
        elif key not in ("checks", "does_not_raise"):
            raise UnknownCheck(key)
    for number, check in enumerate(checks):
        base, embedder = open_base(root, state, config, **lookup)
        base.reindex()
        if gone := check.get("remove_vectors_of"):
            base.close()
            remove_vectors(state, gone)
        found = ask(base, embedder, check)
        lines += judge_answer(found, check["expect"], f"check {number} {check['query']!r} ")
        base.close()
    return lines


def judge_answer(answer: Answer, expected: Expected, where: str) -> list[str]:
    """What does not hold of one answer."""
    return problems(ANSWER, answer, expected, where)


def _only_category(expected: Expected) -> bool:
    return "l1_sources_all_in_category" in expected or {"l1_filter", "sources"} <= expected.keys()


def _sources(answer: Answer) -> list[str]:
    return [block.source for block in answer.result.evidence_blocks]


def _content(answer: Answer) -> str:
    return "\n".join(block.content for block in answer.result.evidence_blocks)


def _scores(answer: Answer) -> list[float]:
    return [b.score for b in answer.result.evidence_blocks if b.score is not None]


def _from_l1(answer: Answer) -> list[str]:
    return [b.source for b in answer.result.evidence_blocks if "L1" in b.retrieval_layer]


def _filter(answer: Answer) -> dict[str, str] | None:
    category = answer.result.filter.category
    return None if category is None else {"category": category}


def _all_within(answer: Answer, category: str) -> Any:
    entries = {entry.source: entry for entry in answer.base.entries}
    return all(is_within(entries[s], category) for s in _from_l1(answer)) or _from_l1(answer)


def _score_of(answer: Answer, wanted: Mapping[str, Mapping[str, float]]) -> Any:
    found = {b.source: b.score for b in answer.result.evidence_blocks}
    return (
        all(
            found.get(source) is not None and span["min"] <= found[source] <= span["max"]
            for source, span in wanted.items()
        )
        or found
    )


def _descends(answer: Answer) -> Any:
    ranks = [block.rank_score for block in answer.result.evidence_blocks]
    return ranks == sorted(ranks, reverse=True) or ranks


def _is_unanswered(answer: Answer) -> bool:
    return answer.raised is not None or not answer.result.evidence_blocks


ANSWER = {
    "primary_source": equals(lambda a: a.result.primary and a.result.primary.source),
    "must_include_source": includes(_sources),
    "must_not_include_source": excludes(_sources),
    "sources": equals(_sources),
    "sources_set": same_set(_sources),
    "unique_sources": lambda a, _: len(set(_sources(a))) == len(_sources(a)),
    "unique_evidence_identity": lambda a, _: len(set(_sources(a))) == len(_sources(a)),
    "count_of_source": lambda a, wanted: all(_sources(a).count(s) == n for s, n in wanted.items()),
    "l0_sources": includes(lambda a: [match.source for match in a.result.l0_hints.matches]),
    "l0_entities_include": includes(lambda a: a.result.l0_hints.entities),
    "retrieval_layer": equals(lambda a: a.result.retrieval_layer),
    "l1_filter": equals(_filter),
    "l1_filter_folded": lambda a, wanted: (
        fold(a.result.filter.category or "") == fold(wanted["category"]) or _filter(a)
    ),
    "l1_attempted": equals(lambda a: a.result.l1.attempted),
    "l1_sources_all_in_category": _all_within,
    "l1_evidence_count": equals(lambda a: len(_from_l1(a))),
    "domains": equals(lambda a: a.result.l0_hints.domains),
    "domains_set": same_set(lambda a: a.result.l0_hints.domains),
    "semantic_support": equals(lambda a: a.result.relevance.semantic_support),
    "evidence_count": equals(lambda a: len(a.result.evidence_blocks)),
    "max_evidence": lambda a, most: len(a.result.evidence_blocks) <= most or _sources(a),
    "evidence_contains": holds(_content),
    "evidence_not_contains": lacks(_content),
    "scores_in": lambda a, span: (
        all(span[0] <= score <= span[1] for score in _scores(a)) or _scores(a)
    ),
    "score_of": _score_of,
    "max_score": lambda a, most: max(_scores(a), default=0.0) <= most or _scores(a),
    "score_order_descending": lambda a, _: _descends(a),
    "details_include_keys": includes(lambda a: a.details),
    "details_mention": says(lambda a: json.dumps(a.details, ensure_ascii=False)),
    "record_saved": lambda a, _: a.details["l0_hints"] is not None,
    "recorded_query_contains": lambda a, wanted: wanted in (a.details["query"] or ""),
    "warnings_mention": says(lambda a: str(a.result.warnings)),
    "raises": lambda a, wanted: (a.raised is not None) == wanted or a.result.outcome,
    "raises_or_empty": lambda a, _: _is_unanswered(a) or _sources(a),
    "does_not_raise": lambda a, _: a.raised is None or str(a.raised),
    "error_mentions": says(lambda a: a.error),
    "embed_calls": equals(lambda a: a.embedded),
    "max_seconds": lambda a, most: a.seconds <= most or a.seconds,
    "outcome": equals(lambda a: a.result.outcome),
    "done": noted,
}
