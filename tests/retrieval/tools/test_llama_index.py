"""The LlamaIndex tool, alone and in a real agent with LlamaIndex's own mock model."""

import asyncio
import json
from typing import Any

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, MessageRole, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.tools import FunctionTool
from llama_index.core.tools.calling import acall_tool, call_tool

from retrieval import KnowledgeBase


def test_it_is_a_function_tool_with_text_for_the_model_and_data_for_the_program(
    kb: KnowledgeBase,
) -> None:
    tool = kb.as_tool()
    assert isinstance(tool, FunctionTool)
    output = tool(query="when does a chargeback start")
    assert output.tool_name == "lookup_knowledge"
    assert '<note n="1" source="billing/chargeback.md"' in output.content
    assert output.raw_output["primary"]["source"] == "billing/chargeback.md"
    assert output.raw_input["kwargs"] == {"query": "when does a chargeback start"}
    assert not output.is_error
    json.dumps(output.model_dump(mode="json"))
    assert tool("chargeback").raw_output["outcome"] == "evidence"


def test_what_is_wrong_is_a_tool_error_and_no_exception(kb: KnowledgeBase) -> None:
    tool = kb.as_tool()
    for arguments in ({"query": " "}, {"query": "refund", "limit": 1}, {}):
        output = call_tool(tool, arguments)
        assert output.is_error
        assert output.content.startswith("refused: ")
        assert asyncio.run(acall_tool(tool, arguments)).is_error


def test_a_broken_knowledge_base_is_a_tool_error(tmp_path: Any) -> None:
    (tmp_path / "notes").mkdir()
    note = tmp_path / "notes" / "a.md"
    note.write_text("# Refunds\n\nThirty days.\n", encoding="utf-8")
    settings = {"state_dir": str(tmp_path / "state"), "embedding": {"model": "hash:64"}}
    with KnowledgeBase.open(tmp_path / "notes", settings) as base:
        tool = base.as_tool()
        assert tool.call(query="refunds").raw_output["l1"]["status"] == "not_ready"
        assert "lookup-knowledge index" in tool.call(query="refunds").content


# LlamaIndex's workflows look at every attribute of a pydantic model, deprecated ones included.
@pytest.mark.filterwarnings("ignore::pydantic.PydanticDeprecatedSince20")
@pytest.mark.filterwarnings("ignore::pydantic.PydanticDeprecatedSince211")
def test_an_agent_calls_it_and_reads_the_text(kb: KnowledgeBase) -> None:
    read: list[str] = []

    def model(messages: Any, **_: Any) -> ChatMessage:
        if messages[-1].role == MessageRole.TOOL:
            read.append(str(messages[-1].content))
            return ChatMessage(role="assistant", content="Within thirty days.")
        call = ToolCallBlock(
            tool_call_id="1",
            tool_name="lookup_knowledge",
            tool_kwargs={"query": "refund policy time limit", "top_k": 1},
        )
        return ChatMessage(role="assistant", blocks=[call])

    async def main() -> Any:
        llm = MockFunctionCallingLLM(response_generator=model, is_chat_model=True)
        agent = FunctionAgent(tools=[kb.as_tool(session_id="s-1")], llm=llm, streaming=False)
        return await agent.run("How long do refunds take?")

    answer = asyncio.run(main())
    assert str(answer) == "Within thirty days."
    assert "within thirty days of the purchase" in read[0]
    (called,) = answer.tool_calls
    row = kb.records().get(called.tool_output.raw_output["invocation_id"])
    assert (row.caller, row.session_id) == ("llama_index", "s-1")
