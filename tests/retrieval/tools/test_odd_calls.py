"""No door raises: notes that are gone, arguments of any shape and size."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from retrieval import KnowledgeBase, lookup_knowledge
from retrieval.budget import estimate_tokens
from retrieval.shown import MOST_CHARACTERS, show, to_plain
from retrieval.tools.definition import LONGEST_QUERY
from retrieval.tools.langchain import langchain_tool
from retrieval.tools.openai import OpenAIFunction
from tests.notes import write_notes
from tests.retrieval.tools.doors import DOORS, Door

HUGE = 10**5000


def _holding_itself(*path: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    found[path[0]] = found
    return found


def _deep() -> list[Any]:
    found: list[Any] = []
    for _ in range(100_000):
        found = [found]
    return found


@pytest.fixture
def gone(tmp_path: Path) -> Iterator[tuple[KnowledgeBase, dict[str, Any]]]:
    """A knowledge base whose folder is removed, its index with it, after each door was made."""
    root = write_notes(tmp_path / "notes")
    with KnowledgeBase.open(root, {"embedding": {"model": "hash:64"}}) as kb:
        kb.reindex()
        made = {name: make(kb) for name, make in DOORS.items()}
        kb.close()  # what was read is forgotten, as it is when the index changes
        shutil.rmtree(root)
        shutil.rmtree(kb.location.state_dir, ignore_errors=True)
        yield kb, made


@pytest.mark.parametrize("name", DOORS)
def test_notes_that_cannot_be_read_are_an_error_through_every_door(
    gone: tuple[KnowledgeBase, dict[str, Any]], name: str
) -> None:
    kb, doors = gone
    answer = doors[name]({"query": "refund"})
    assert (answer["outcome"], answer["error"]["code"]) == ("error", "knowledge_error")
    assert answer["error"]["next_action"]
    assert answer["fingerprint"] == {"config": "", "index": None, "embedding": None}
    assert kb.records().get(answer["invocation_id"]).outcome == "error"
    assert doors[name]({"limit": 1})["outcome"] == "refused"


def test_the_function_says_the_same(gone: tuple[KnowledgeBase, dict[str, Any]]) -> None:
    result = lookup_knowledge("refund", kb=gone[0])
    assert (result.outcome, result.evidence_blocks) == ("error", ())
    assert result.error is not None
    json.dumps(result.to_dict())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("[" * 100_000, "no JSON"),
        (None, "null, not an object"),
        (["a"], "a JSON list, not an object"),
        (7, "int, not an object"),
        ({"query": "x", "top_k": HUGE}, "top_k is a int that cannot be shown"),
        ({"query": "x", "budget": HUGE}, "budget is a int that cannot be shown"),
        ({"query": HUGE}, "query is a int that cannot be shown"),
        ({"query": "x", "filters": _deep()}, "filters"),
        ({"query": "x", "filters": _holding_itself("field")}, "filters"),
        ({"query": "x", 1: 2}, "argument 1 is 1"),
    ],
    ids=range(10),
)
def test_calls_of_any_shape_are_refused(kb: KnowledgeBase, arguments: Any, said: str) -> None:
    answer = OpenAIFunction.over(kb).call(arguments)
    assert answer.result.outcome == "refused"
    assert answer.result.error is not None
    assert said in answer.result.error.message
    assert answer.result.error.next_action
    assert answer.to_text().startswith("refused: ")
    json.dumps(answer.to_dict())
    invocation = answer.result.invocation_id
    assert invocation is not None
    assert kb.records().get(invocation).outcome == "refused"


@pytest.mark.parametrize(
    "options",
    [
        {"budget": HUGE},
        {"top_k": HUGE},
        {"min_score": HUGE},
        {"mode": HUGE},
        {"mode": ["l0"]},
        {"filters": {"category": _holding_itself("eq")}},
        {"filters": {"category": [_deep()]}},
        {"filters": {"category": HUGE}},
        {"filters": [HUGE]},
    ],
    ids=lambda options: next(iter(options)),
)
def test_options_of_any_shape_are_refused(kb: KnowledgeBase, options: dict[str, Any]) -> None:
    result = lookup_knowledge("refund", kb=kb, **options)
    assert result.outcome == "refused"
    assert result.error is not None
    assert result.error.next_action
    assert result.invocation_id is not None
    assert kb.records().get(result.invocation_id).outcome == "refused"
    assert not kb.as_tool().call(query="refund").is_error


@pytest.mark.parametrize("args", [None, ["a"], "refund", 7])
def test_a_langchain_call_without_a_mapping_is_refused(kb: KnowledgeBase, args: Any) -> None:
    call = {"name": "lookup_knowledge", "args": args, "id": "c1", "type": "tool_call"}
    message = langchain_tool(kb).invoke(call)
    assert (message.status, message.artifact["outcome"]) == ("error", "refused")
    assert "Arguments: query" in message.text


@pytest.mark.parametrize("door", [DOORS["openai"], DOORS["llama_index"]])
def test_a_query_that_is_too_long_is_cut_in_answer_and_record(
    kb: KnowledgeBase, door: Door
) -> None:
    answer = door(kb)({"query": "refund " * 300_000})
    assert answer["outcome"] == "refused"
    assert len(answer["query"]) == LONGEST_QUERY
    assert "2,100,000 characters" in answer["warnings"][0]["message"]
    row = kb.records().get(answer["invocation_id"])
    assert row.query == answer["query"]
    assert len(json.dumps(answer)) < 3 * LONGEST_QUERY


@pytest.mark.parametrize(
    "arguments",
    [
        {"query": "refund", "category": "x" * 50_000},
        {"query": "refund", "category": "題" * 50_000},
        {"query": "refund", "mode": "題" * 50_000},
        {"query": "refund", "題" * 50_000: 1},
        {"query": "refund", "filters": [{"field": "題" * 50_000, "values": ["a"]}]},
        {"query": "refund", "filters": [{"field": "title", "values": ["題" * 50_000]}]},
        {"query": "refund", "filters": [{"field": "title", "values": ["題" * 99] * 20_000}]},
    ],
    ids=range(7),
)
def test_what_an_answer_repeats_of_the_arguments_is_short(
    kb: KnowledgeBase, arguments: dict[str, Any]
) -> None:
    answer = OpenAIFunction.over(kb).call({"budget": 200, **arguments})
    assert estimate_tokens(answer.to_text()) <= 200
    assert len(json.dumps(answer.to_dict(), ensure_ascii=False)) < 15_000
    assert answer.result.invocation_id is not None
    row = kb.records().get(answer.result.invocation_id)
    assert len(json.dumps(row.arguments, ensure_ascii=False)) < MOST_CHARACTERS


def test_arguments_as_people_write_them_are_recorded_as_they_are() -> None:
    given = {"filters": {"tenant": ["acme", "globex"]}, "top_k": 3, "min_score": 0.2, "x": None}
    assert to_plain(given) == given
    odd = to_plain({"a": float("nan"), "b": HUGE, "c": {1, 2}, "d": _holding_itself("d")})
    assert (odd["a"], odd["b"], odd["c"]) == ("nan", "a int that cannot be shown", [1, 2])
    json.dumps(odd, allow_nan=False)
    assert show("x" * 10**6) == "'" + "x" * 198 + "…"
