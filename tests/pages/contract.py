"""The page of the JSON contract, from its types."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import TypeAdapter

from retrieval.contract import DetailsDict, ResultDict
from retrieval.why.contract import AbsenceDict
from tests.pages.tables import sentence, table

HEAD = ("Key", "Type", "Meaning")


def answer_page() -> str:
    """A table for the answer and one for each object in it, each after the one that names it."""
    return "\n\n".join(_sections(TypeAdapter(ResultDict).json_schema(), "The answer"))


def details_page() -> str:
    """The record's own objects; those of the answer stand there."""
    known = TypeAdapter(ResultDict).json_schema()["$defs"]
    schema = TypeAdapter(DetailsDict).json_schema()
    return "\n\n".join(_sections(schema, "`retrieval_details`", known))


def why_page() -> str:
    """The object `why`, which `query --why SOURCE --json` adds."""
    return "\n\n".join(_sections(TypeAdapter(AbsenceDict).json_schema(), "`why`"))


def _sections(
    schema: Mapping[str, Any], title: str, known: Mapping[str, Any] | None = None
) -> Iterator[str]:
    objects = schema.get("$defs", {})
    yield _section(title, schema, objects)
    seen = dict.fromkeys(known or {})
    waiting = [schema]
    while waiting:
        for name in _named(waiting.pop(0)):
            if name not in seen:
                seen[name] = None
                waiting.append(objects[name])
                yield _section(_title(name), objects[name], objects)


def _named(schema: Mapping[str, Any]) -> list[str]:
    return re.findall(r"#/\$defs/(\w+)", str(schema["properties"]))


def _section(title: str, schema: Mapping[str, Any], objects: Mapping[str, Any]) -> str:
    rows = [
        (f"`{key}`", _type(value), _meaning(value, objects))
        for key, value in schema["properties"].items()
    ]
    return f"### {title}\n\n{schema.get('description', '')}\n\n{table(HEAD, rows)}"


def _meaning(schema: Mapping[str, Any], objects: Mapping[str, Any]) -> str:
    """What the key says of itself; the schema leaves that out where its object says the same."""
    of_object = objects.get(schema.get("$ref", "").rpartition("/")[2], {})
    return sentence(schema.get("description") or of_object.get("description", ""))


def _title(name: str) -> str:
    """`NearMatchDict` → `Near match`."""
    words = re.findall(r"[A-Z][a-z]*\d*", name.removesuffix("Dict"))
    return " ".join([words[0], *(word.lower() for word in words[1:])])


def _type(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_type(part) for part in schema["anyOf"])
    if "$ref" in schema:
        title = _title(schema["$ref"].rpartition("/")[2])
        return f"[{title}](#{title.lower().replace(' ', '-')})"
    if "enum" in schema:
        return ", ".join(f"`{word}`" for word in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    kind = schema.get("type", "any")
    if kind == "array":
        return f"list of {_type(schema['items'])}"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"object of {_type(values)}" if isinstance(values, dict) and values else "object"
    names = {"string": "text", "integer": "whole number", "boolean": "true, false"}
    return names.get(kind, kind)
