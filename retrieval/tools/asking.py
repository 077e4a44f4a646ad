"""A model's call: its arguments checked, looked up within the operator's limits, recorded."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel, ValidationError

from retrieval.budget import fit_budget
from retrieval.errors import InvalidInput
from retrieval.options import LEAST_BUDGET, MOST_BUDGET
from retrieval.shown import LONGEST_SHOWN, cut, show
from retrieval.tools.definition import FilterArgument, ToolDefinition
from retrieval.tools.lookup import answer, refuse_call
from retrieval.tools.text_form import to_text
from retrieval.types import LookupResult

JSON_NAMES: dict[type, str] = {type(None): "null", list: "a JSON list", str: "a JSON text"}
TEXT_BUDGET = 8000
"""Tokens of a text where nobody states a budget: what agents take in one piece without trouble."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to one call of a model, in both of its forms."""

    result: LookupResult
    """Within the budget as JSON: what `lookup_knowledge` returns for the same arguments."""
    whole: LookupResult
    """The same before the budget: text is trimmed from this, as it is several times shorter."""
    budget: int | None
    """Tokens that the call, the operator or the settings allow."""

    @property
    def is_error(self) -> bool:
        """True for outcome `refused` and `error`."""
        return self.result.error is not None

    def to_text(self) -> str:
        """What the model reads, within the budget, else 8,000 tokens; see `text_form`."""
        return to_text(self.whole, self.budget or TEXT_BUDGET)

    def to_dict(self) -> dict[str, Any]:
        """What the program reads: `LookupResult.to_dict()`."""
        return dict(self.result.to_dict())


def ask(tool: ToolDefinition, arguments: object, *, session_id: str | None = None) -> Answer:
    """The answer to a call, whatever its arguments are. Recorded unless the tool says otherwise.

    `arguments` is a mapping, or the JSON text of one. Unknown, missing and wrong arguments give
    outcome `refused`, with a message that a model can act on.
    """
    given: Mapping[str, Any] = {}
    budget = tool.kb.settings.lookup.budget
    try:
        given = _read(arguments)
        query, options = read_arguments(tool, given)
    except InvalidInput as error:
        refused = refuse_call(
            tool.kb,
            given.get("query", ""),
            error,
            arguments=_shown(given),
            caller=tool.caller,
            session_id=session_id,
            record=tool.record,
        )
        return Answer(result=refused, whole=refused, budget=_budget_of(given) or budget)
    budget = options.get("budget", budget)
    whole = answer(
        tool.kb,
        query,
        {**options, "scope": tool.scope, "budget": MOST_BUDGET},
        arguments={**options, **({"scope": dict(tool.scope)} if tool.scope else {})},
        caller=tool.caller,
        session_id=session_id,
        record=tool.record,
    )
    return Answer(result=_fit(whole, budget), whole=whole, budget=budget)


def _fit(whole: LookupResult, budget: int | None) -> LookupResult:
    if budget is None or whole.error is not None:
        return whole
    # The id is what the budget keeps room for: with it, the same call would be trimmed more here.
    fitted = fit_budget(replace(whole, invocation_id=None), budget)
    return replace(fitted, invocation_id=whole.invocation_id)


async def aask(tool: ToolDefinition, arguments: object, *, session_id: str | None = None) -> Answer:
    """`ask`, in a thread: the event loop goes on meanwhile."""
    return await asyncio.to_thread(ask, tool, arguments, session_id=session_id)


def read_arguments(
    tool: ToolDefinition, arguments: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:
    """The query, and the options of the lookup. Raises `InvalidInput`, naming the argument."""
    checked = check(tool.arguments, arguments)
    given = checked.model_dump(exclude={"filters"}, exclude_none=True)
    query = given.pop("query")
    filters: dict[str, dict[str, Any]] = {}
    if (category := given.pop("category", None)) is not None:
        filters["category"] = {"eq": category}
    conditions: list[FilterArgument] = getattr(checked, "filters", None) or []
    for condition in conditions:
        stated = filters.setdefault(condition.field, {})
        operator = "nin" if condition.exclude else "in"
        if operator in stated:
            raise InvalidInput(
                f"The field '{condition.field}' is filtered twice.",
                next_action="Name all its values in one filter.",
            )
        stated[operator] = condition.values
    return query, {**given, **({"filters": filters} if filters else {}), **tool.fixed}


def check(model: type[BaseModel], arguments: Mapping[str, Any]) -> BaseModel:
    """The arguments as the model's values. Raises `InvalidInput` for the first that is wrong."""
    try:
        return model.model_validate(dict(arguments))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
    name = ".".join(cut(str(part), LONGEST_SHOWN) for part in first["loc"][:3]) or "arguments"
    known = f"Arguments: {', '.join(model.model_fields)}."
    if first["type"] == "extra_forbidden":
        raise InvalidInput(f"There is no argument '{name}'.", next_action=known)
    if first["type"] == "missing":
        raise InvalidInput(f"The argument {name} is missing.", next_action=known)
    raise InvalidInput(
        f"The argument {name} is {show(first['input'])}.", next_action=f"{first['msg']}."
    )


def _read(arguments: object) -> Mapping[str, Any]:
    value = arguments
    if isinstance(arguments, str):
        try:
            value = json.loads(arguments or "{}")
        except (ValueError, RecursionError) as error:
            raise InvalidInput(
                f"The arguments are no JSON: {error}.", next_action="Send one JSON object."
            ) from None
    if not isinstance(value, Mapping):
        kind = JSON_NAMES.get(type(value), type(value).__name__)
        raise InvalidInput(
            f"The arguments are {kind}, not an object.",
            next_action='Send one JSON object, such as {"query": "…"}.',
        )
    return value


def _budget_of(arguments: Mapping[str, Any]) -> int | None:
    """The budget of a refused call, where that argument is in order."""
    stated = arguments.get("budget")
    if not isinstance(stated, int) or isinstance(stated, bool):
        return None
    return stated if LEAST_BUDGET <= stated <= MOST_BUDGET else None


def _shown(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The refused arguments as short texts: what a model sends has any shape and size."""
    rest = [(name, value) for name, value in arguments.items() if name != "query"]
    return {
        cut(str(name), LONGEST_SHOWN): cut(value, LONGEST_SHOWN)
        if isinstance(value, str)
        else show(value)
        for name, value in rest[:20]
    }
