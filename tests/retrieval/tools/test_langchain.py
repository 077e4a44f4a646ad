"""The LangChain tool, alone and in a real agent with a scripted model."""

import asyncio
from collections.abc import Sequence
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver

from retrieval import KnowledgeBase
from retrieval.tools.langchain import langchain_tool


def _call(**arguments: Any) -> Any:
    return {"name": "lookup_knowledge", "args": arguments, "id": "c1", "type": "tool_call"}


class ScriptedModel(GenericFakeChatModel):
    """Says what it was told to, whatever tools it gets."""

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
        return self


def test_content_is_text_and_the_artifact_the_whole_answer(kb: KnowledgeBase) -> None:
    tool = langchain_tool(kb)
    message = tool.invoke(_call(query="when does a chargeback start"))
    assert isinstance(message, ToolMessage)
    assert message.status == "success"
    assert '<note n="1" source="billing/chargeback.md"' in message.text
    assert message.artifact["primary"]["source"] == "billing/chargeback.md"
    assert tool.invoke({"query": "chargeback"}) == tool.invoke("chargeback")


def test_what_is_wrong_is_an_error_message_with_the_artifact(kb: KnowledgeBase) -> None:
    tool = langchain_tool(kb)
    for arguments in ({"query": "refund", "limit": 1}, {"query": ""}, {}):
        message = tool.invoke(_call(**arguments))
        assert (message.status, message.artifact["outcome"]) == ("error", "refused")
        assert message.text.startswith("refused: ")
        assert asyncio.run(tool.ainvoke(_call(**arguments))).status == "error"


def test_an_agent_calls_it_and_its_thread_is_the_session(kb: KnowledgeBase) -> None:
    script = iter(
        [
            AIMessage("", tool_calls=[_call(query="refund policy time limit")]),
            AIMessage("Within thirty days."),
        ]
    )
    agent = create_agent(
        ScriptedModel(messages=script), [langchain_tool(kb)], checkpointer=InMemorySaver()
    )
    config: Any = {"configurable": {"thread_id": "t-7"}}
    state = agent.invoke({"messages": [("user", "How long do refunds take?")]}, config)
    answered = state["messages"][-2]
    assert "within thirty days of the purchase" in answered.text
    row = kb.records().get(answered.artifact["invocation_id"])
    assert (row.caller, row.session_id) == ("langchain", "t-7")
