"""The lookup as an OpenAI function: a strict schema, and the answer to a call of it.

No OpenAI package is needed: a schema is a dict, and a call's arguments are JSON text.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack

from retrieval.options import FixedOptions
from retrieval.tools.asking import Answer, aask, ask
from retrieval.tools.definition import ToolDefinition, define_tool

if TYPE_CHECKING:
    from retrieval.knowledge_base import KnowledgeBase

UNSUPPORTED = ("default", "maxLength", "minLength")


@dataclass(frozen=True, slots=True)
class OpenAIFunction:
    """A function for the `tools` of a request, and what answers its calls.

    Calls are recorded with caller `openai`.
    """

    definition: ToolDefinition
    session_id: str | None = None

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
        """The function over a knowledge base; see `retrieval.tools.definition.define_tool`."""
        definition = define_tool(kb, caller="openai", filters=filters, record=record, **fixed)
        return cls(definition, session_id)

    def schema(self, api: Literal["chat", "responses"] = "chat") -> dict[str, Any]:
        """The item for `tools` of Chat Completions or of the Responses API; `strict` is true."""
        function = {
            "name": self.definition.name,
            "description": self.definition.description,
            "parameters": to_strict(self.definition.schema()),
            "strict": True,
        }
        if api == "responses":
            return {"type": "function", **function}
        return {"type": "function", "function": function}

    def call(self, arguments: object) -> Answer:
        """The answer to a call; `arguments` as the API gives them, JSON text. Does not raise.

        Its `to_text()` is what to send back as the call's output.
        """
        return ask(self.definition, arguments, session_id=self.session_id)

    async def acall(self, arguments: object) -> Answer:
        """`call`, in a thread."""
        return await aask(self.definition, arguments, session_id=self.session_id)


def to_strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema in the form of OpenAI's structured outputs.

    Every property is required (a model leaves one out by null), no other is allowed, and there
    are neither defaults nor limits of length: https://platform.openai.com/docs/guides/structured-outputs
    """
    strict: dict[str, Any] = _without(dict(schema))
    for part in (strict, *strict.get("$defs", {}).values()):
        part["additionalProperties"] = False
        part["required"] = list(part["properties"])
    return strict


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without(item) for key, item in value.items() if key not in UNSUPPORTED}
    if isinstance(value, list):
        return [_without(item) for item in value]
    return value
