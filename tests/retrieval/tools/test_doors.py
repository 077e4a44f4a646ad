"""One function, many doors: the same name, arguments and answer through each of them."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from langchain_core.utils.function_calling import convert_to_openai_tool
from mcp.client.client import Client
from openai.lib._pydantic import to_strict_json_schema

from retrieval import KnowledgeBase, lookup_knowledge
from retrieval.errors import InvalidInput, UnknownFilter
from retrieval.tools.definition import DESCRIPTION, LookupArguments
from retrieval.tools.langchain import langchain_tool
from retrieval.tools.mcp.server import build_server
from retrieval.tools.openai import OpenAIFunction
from tests.retrieval.tools.answers import steady
from tests.retrieval.tools.doors import DOORS, Door


@pytest.fixture(params=DOORS)
def door(request: pytest.FixtureRequest) -> tuple[str, Door]:
    return request.param, DOORS[request.param]


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ({"query": "how long for a refund"}, {}),
        ({"query": "parking permit"}, {}),
        ({"query": "refund", "top_k": 2, "mode": "l0"}, {"top_k": 2, "mode": "l0"}),
        ({"query": "refund policy", "budget": 900}, {"budget": 900}),
        ({"query": "bus", "category": "travel"}, {"filters": {"category": "travel"}}),
        (
            {"query": "refund", "filters": [{"field": "tenant", "values": ["acme"]}]},
            {"filters": {"tenant": ["acme"]}},
        ),
        (
            {
                "query": "refund",
                "filters": [{"field": "tenant", "values": ["globex"], "exclude": True}],
            },
            {"filters": {"tenant": {"nin": ["globex"]}}},
        ),
        ({"query": "?!"}, {}),
        ({"query": "refund", "category": "nonsense"}, {"filters": {"category": "nonsense"}}),
    ],
)
def test_every_door_gives_the_answer_of_the_function(
    kb: KnowledgeBase, door: tuple[str, Door], arguments: dict[str, Any], options: dict[str, Any]
) -> None:
    query = arguments["query"]
    assert steady(door[1](kb)(arguments)) == steady(lookup_knowledge(query, kb=kb, **options))


def test_each_call_is_recorded_under_its_door(kb: KnowledgeBase, door: tuple[str, Door]) -> None:
    name, call = door
    answer = call(kb)({"query": "lost badge", "top_k": 3})
    row = kb.records().get(answer["invocation_id"])
    assert (row.caller, row.query, row.arguments) == (name, "lost badge", {"top_k": 3})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"query": "refund", "limit": 3}, "There is no argument 'limit'. Arguments: query, "),
        ({}, "The argument query is missing."),
        ({"query": "refund", "top_k": "five"}, "The argument top_k is 'five'."),
        ({"query": "refund", "top_k": 0}, "greater than or equal to 1"),
        ({"query": "refund", "budget": 5}, "greater than or equal to 200"),
        ({"query": 7}, "The argument query is 7."),
        ({"query": "refund", "mode": "L9"}, "The argument mode is 'L9'."),
        ({"query": "refund", "filters": [{"field": "a"}]}, "filters.0.values is missing"),
        (
            {"query": "refund", "filters": [{"field": "title", "values": ["a"]}] * 2},
            "The field 'title' is filtered twice.",
        ),
    ],
)
def test_a_wrong_call_is_refused_with_what_to_do_and_recorded(
    kb: KnowledgeBase, door: tuple[str, Door], arguments: dict[str, Any], said: str
) -> None:
    answer = door[1](kb)(arguments)
    error = answer["error"]
    assert answer["outcome"] == "refused"
    assert said in f"{error['message']} {error['next_action']}"
    assert kb.records().get(answer["invocation_id"]).outcome == "refused"


def test_all_doors_describe_the_tool_alike(kb: KnowledgeBase) -> None:
    async def listed() -> Any:
        async with Client(build_server(kb)) as client:
            return (await client.list_tools()).tools[0]

    mcp = asyncio.run(listed())
    llama = kb.as_tool().metadata
    chain = convert_to_openai_tool(langchain_tool(kb))["function"]
    openai = OpenAIFunction.over(kb).schema()["function"]
    names = [mcp.name, llama.name, chain["name"], openai["name"]]
    assert names == ["lookup_knowledge"] * 4
    texts = [mcp.description, llama.description, chain["description"], openai["description"]]
    assert texts == [DESCRIPTION] * 4
    schema = LookupArguments.model_json_schema()
    assert mcp.input_schema == schema
    assert llama.get_parameters_dict()["properties"] == schema["properties"]
    told = {name: part["description"] for name, part in schema["properties"].items()}
    for parameters in (chain["parameters"], openai["parameters"]):
        found = {name: part["description"] for name, part in parameters["properties"].items()}
        assert found == told


def test_the_openai_schema_is_the_strict_one_of_its_own_library(kb: KnowledgeBase) -> None:
    function = OpenAIFunction.over(kb).schema()
    wanted = to_strict_json_schema(LookupArguments)
    wanted["properties"]["query"].pop("maxLength")  # not among what structured outputs support
    wanted["$defs"]["FilterArgument"]["properties"]["exclude"].pop("default", None)
    assert function["function"]["parameters"] == wanted
    assert function["function"]["strict"] is True
    flat = OpenAIFunction.over(kb).schema("responses")
    assert flat == {"type": "function", **function["function"]}


def test_the_description_says_what_to_do_and_fits_every_interface() -> None:
    assert len(DESCRIPTION) <= 1024
    for word in ("Call it before", "fallback", "no_evidence", "refused", "weak", "data"):
        assert word.casefold() in DESCRIPTION.casefold()
    assert all(field.description for field in LookupArguments.model_fields.values())


def test_what_the_operator_fixes_is_not_asked_of_the_model(kb: KnowledgeBase) -> None:
    tool = kb.as_tool(top_k=1, mode="l0")
    assert not {"top_k", "mode"} & tool.metadata.get_parameters_dict()["properties"].keys()
    output = tool.call(query="refund")
    assert len(output.raw_output["evidence_blocks"]) == 1
    assert output.raw_output["l1"]["status"] == "disabled"
    assert tool.call(query="refund", top_k=9).is_error


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"topk": 3}, InvalidInput, "no option 'topk'"),
        ({"top_k": 0}, InvalidInput, "top_k is 0"),
        ({"filters": {"tennant": "acme"}}, UnknownFilter, "tennant"),
        ({"filters": {"category": "nonsense"}}, UnknownFilter, "nonsense"),
        ({"filters": {"tenant": None}}, InvalidInput, "would limit nothing"),
        ({"filters": {"tenant": []}}, InvalidInput, "would limit nothing"),
        ({"filters": {"tenant": {"eq": "acme", "in": None}}}, InvalidInput, "limit nothing"),
    ],
)
def test_a_slip_of_the_operator_is_told_when_the_tool_is_made(
    kb: KnowledgeBase, options: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        kb.as_tool(**options)


def test_the_sync_doors_work_inside_a_running_loop_and_the_async_ones_at_once(
    kb: KnowledgeBase,
) -> None:
    tool, chain, function = kb.as_tool(), langchain_tool(kb), OpenAIFunction.over(kb)

    async def main() -> list[Any]:
        assert tool.call(query="shuttle").raw_output["outcome"] == "evidence"
        assert "shuttle" in chain.invoke("shuttle")
        calls = [tool.acall(query="shuttle") for _ in range(5)]
        more = [function.acall({"query": "shuttle"}) for _ in range(5)]
        outputs = await asyncio.gather(*calls)
        return [o.raw_output for o in outputs] + [
            answer.to_dict() for answer in await asyncio.gather(*more)
        ]

    answers = [steady(answer) for answer in asyncio.run(main())]
    with ThreadPoolExecutor(4) as pool:
        answers += [steady(a) for a in pool.map(function.call, ['{"query": "shuttle"}'] * 8)]
    assert len(answers) == 18
    assert all(answer == answers[0] for answer in answers)


def test_arguments_that_are_no_json_object_are_refused(kb: KnowledgeBase) -> None:
    function = OpenAIFunction.over(kb)
    assert "no JSON" in function.call("{query").to_text()
    assert "not an object" in function.call("[1]").to_text()
    assert "query is missing" in function.call("").to_text()
