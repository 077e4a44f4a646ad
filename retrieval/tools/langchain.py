"""The lookup as a LangChain tool: text for the model, the whole answer as the artifact."""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Unpack

from retrieval.errors import MissingExtra
from retrieval.options import FixedOptions
from retrieval.tools.asking import ask
from retrieval.tools.definition import define_tool

try:
    from langchain_core.messages import ToolMessage
    from langchain_core.runnables import RunnableConfig
    from langchain_core.tools import BaseTool
except ImportError as error:
    raise MissingExtra("The LangChain tool", "langchain") from error

if TYPE_CHECKING:
    from retrieval.knowledge_base import KnowledgeBase


class LookupTool(BaseTool):
    """A tool that never raises: what is wrong with a call is a message with status `error`.

    The content is text that fences the notes as data (`retrieval.tools.text_form`), the artifact
    what `LookupResult.to_dict()` gives. Calls are recorded with caller `langchain` and, where the
    run has one, its `thread_id` as the session.
    """

    definition: Any
    """The `ToolDefinition`; untyped, because pydantic would want to look into it."""
    response_format: Literal["content_and_artifact"] = "content_and_artifact"

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """The answer; a call whose `args` are no mapping gets one, too."""
        return super().invoke(_with_mapping(input), config, **kwargs)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """`invoke`, in a thread."""
        return await super().ainvoke(_with_mapping(input), config, **kwargs)

    def _parse_input(
        self, tool_input: str | dict[str, Any], tool_call_id: str | None
    ) -> dict[str, Any]:
        # Arguments are checked by `ask`, which answers and records a wrong call; LangChain would
        # raise. A plain text is the query.
        arguments = {"query": tool_input} if isinstance(tool_input, str) else tool_input
        return {"arguments": arguments, "call_id": tool_call_id}

    def _run(
        self, arguments: dict[str, Any], call_id: str | None, config: RunnableConfig
    ) -> tuple[str | ToolMessage, dict[str, Any]]:
        session = (config.get("configurable") or {}).get("thread_id")
        session_id = None if session is None else str(session)
        answer = ask(self.definition, arguments, session_id=session_id)
        content: str | ToolMessage = answer.to_text()
        if answer.is_error and call_id is not None:
            content = ToolMessage(
                answer.to_text(),
                artifact=answer.to_dict(),
                tool_call_id=call_id,
                name=self.name,
                status="error",
            )
        return content, answer.to_dict()

    async def _arun(
        self, arguments: dict[str, Any], call_id: str | None, config: RunnableConfig
    ) -> tuple[str | ToolMessage, dict[str, Any]]:
        return await asyncio.to_thread(self._run, arguments, call_id, config)


def _with_mapping(call: Any) -> Any:
    """The tool call in a form that LangChain can copy; `ask` refuses what is wrong with it."""
    is_call = isinstance(call, dict) and call.get("type") == "tool_call"
    if not is_call or isinstance(call.get("args"), dict):
        return call
    args = call.get("args")
    return {**call, "id": call.get("id"), "args": {} if args is None else {"arguments": args}}


def langchain_tool(
    kb: "KnowledgeBase",
    *,
    filters: Mapping[str, Any] | None = None,
    record: bool = True,
    **fixed: Unpack[FixedOptions],
) -> LookupTool:
    """The tool over a knowledge base; see `retrieval.tools.definition.define_tool`."""
    definition = define_tool(kb, caller="langchain", filters=filters, record=record, **fixed)
    return LookupTool(
        name=definition.name,
        description=definition.description,
        args_schema=definition.arguments,
        definition=definition,
    )
