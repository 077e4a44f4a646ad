"""The doors through which agents ask, each as a function from arguments to the answer's dict."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from mcp.client.client import Client

from retrieval import KnowledgeBase
from retrieval.tools.langchain import langchain_tool
from retrieval.tools.mcp.server import build_server
from retrieval.tools.openai import OpenAIFunction

Call = Callable[[dict[str, Any]], dict[str, Any]]
Door = Callable[[KnowledgeBase], Call]


def _llama_index(kb: KnowledgeBase) -> Call:
    tool = kb.as_tool()
    return lambda arguments: tool.call(**arguments).raw_output


def _langchain(kb: KnowledgeBase) -> Call:
    tool = langchain_tool(kb)

    def call(arguments: dict[str, Any]) -> dict[str, Any]:
        wanted = {"name": "lookup_knowledge", "args": arguments, "id": "1", "type": "tool_call"}
        return tool.invoke(wanted).artifact  # type: ignore[no-any-return]

    return call


def _openai(kb: KnowledgeBase) -> Call:
    function = OpenAIFunction.over(kb)
    return lambda arguments: function.call(json.dumps(arguments)).to_dict()


def _mcp(kb: KnowledgeBase) -> Call:
    server = build_server(kb)

    async def ask(arguments: dict[str, Any]) -> Any:
        async with Client(server) as client:
            return (await client.call_tool("lookup_knowledge", arguments)).structured_content

    return lambda arguments: asyncio.run(ask(arguments))


DOORS: dict[str, Door] = {
    "llama_index": _llama_index,
    "langchain": _langchain,
    "openai": _openai,
    "mcp": _mcp,
}
