"""The lookup as a LlamaIndex `FunctionTool`: text for the model, data for the program."""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, Unpack

from llama_index.core.tools import FunctionTool, ToolMetadata, ToolOutput

from retrieval.options import FixedOptions
from retrieval.tools.asking import Answer, ask
from retrieval.tools.definition import ToolDefinition, define_tool

if TYPE_CHECKING:
    from retrieval.knowledge_base import KnowledgeBase


class LookupTool(FunctionTool):
    """A tool that never raises: what is wrong with a call is an output with `is_error`.

    `content` of an output is text that fences the notes as data (`retrieval.tools.text_form`),
    `raw_output` what `LookupResult.to_dict()` gives. `is_error` is set on outcome `refused` and
    `error`. Calls are recorded with caller `llama_index`.
    """

    def __init__(self, definition: ToolDefinition, *, session_id: str | None = None) -> None:
        metadata = ToolMetadata(
            name=definition.name,
            description=definition.description,
            fn_schema=definition.arguments,
        )
        super().__init__(fn=self._ask, metadata=metadata)
        self._definition = definition
        self._session_id = session_id

    @classmethod
    def over(
        cls,
        kb: "KnowledgeBase",
        *,
        filters: Mapping[str, Any] | None = None,
        session_id: str | None = None,
        record: bool = True,
        **fixed: Unpack[FixedOptions],
    ) -> Self:
        """The tool over a knowledge base; see `retrieval.tools.definition.define_tool`.

        `session_id` is kept in each record, to tell conversations apart.
        """
        definition = define_tool(kb, caller="llama_index", filters=filters, record=record, **fixed)
        return cls(definition, session_id=session_id)

    def call(self, *args: Any, **kwargs: Any) -> ToolOutput:
        """The output of one call; a single positional argument is the query."""
        arguments = {**({"query": args[0]} if args else {}), **kwargs}
        answer = self._ask(**arguments)
        return ToolOutput(
            tool_name=self.metadata.get_name(),
            content=answer.to_text(),
            raw_input={"args": (), "kwargs": arguments},
            raw_output=answer.to_dict(),
            is_error=answer.is_error,
        )

    async def acall(self, *args: Any, **kwargs: Any) -> ToolOutput:
        """`call`, in a thread."""
        return await asyncio.to_thread(self.call, *args, **kwargs)

    def _ask(self, **arguments: Any) -> Answer:
        return ask(self._definition, arguments, session_id=self._session_id)
