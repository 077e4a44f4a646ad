"""Every setting as data, read off the types: for forms and for the generated page."""

import types
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from retrieval.settings.loading import ENV_PREFIX
from retrieval.settings.sections import LookupSettings

Kind = Literal["choice", "switch", "integer", "number", "text", "list", "other"]
Value: TypeAlias = str | int | float | bool | tuple[str, ...] | None

_KINDS: dict[Any, Kind] = {
    bool: "switch",
    int: "integer",
    float: "number",
    str: "text",
    Path: "text",
}
# What `retrieval.semantic.generation.find_differences` compares, and the folder of the notes.
_OF_THE_INDEX = {"root", "embedding.model", "embedding.window", "chroma.url"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingField:
    """One setting as its type says it."""

    path: str
    """Name with its table, such as `lookup.top_k`."""
    kind: Kind
    """`other` has no simple form."""
    optional: bool
    """True when it may have no value."""
    secret: bool
    """True when its type keeps the value out of every output."""
    choices: tuple[str, ...]
    bounds: str
    """Such as `1 to 1000`; empty without any."""
    description: str
    default: Value

    @property
    def section(self) -> str:
        """The table it stands in; empty for the top of the file."""
        return self.path.rpartition(".")[0]

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return ENV_PREFIX + self.path.replace(".", "__").upper()

    @property
    def changes_index(self) -> bool:
        """True when an index built with another value does not fit."""
        return self.section == "knowledge" or self.path in _OF_THE_INDEX


def list_fields() -> tuple[SettingField, ...]:
    """Every setting in the order of the model, the top of the file first."""
    return tuple(_field(path, info) for path, info in _walk(LookupSettings))


def to_plain(value: Any) -> Value:
    """A value of a setting as text, number, switch, or tuple of texts."""
    if isinstance(value, list | tuple):
        return tuple(str(item) for item in value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def _walk(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Single settings before tables, as TOML wants them."""
    tables = []
    for name, info in model.model_fields.items():
        inner = next((t for t in _alternatives(info.annotation) if _is_table(t)), None)
        if inner is None:
            yield prefix + name, info
        else:
            tables.append((f"{prefix}{name}.", inner))
    for path, inner in tables:
        yield from _walk(inner, path)


def _field(path: str, info: FieldInfo) -> SettingField:
    kind, choices = _kind(info)
    alternatives = _alternatives(info.annotation)
    default = info.get_default(call_default_factory=True, validated_data={})
    return SettingField(
        path=path,
        kind=kind,
        optional=type(None) in alternatives,
        secret=SecretStr in alternatives,
        choices=choices,
        bounds=_bounds(info),
        description=info.description or "",
        default=to_plain(default),
    )


def _kind(info: FieldInfo) -> tuple[Kind, tuple[str, ...]]:
    inner = [t for t in _alternatives(info.annotation) if t is not type(None)]
    if len(inner) != 1:
        return "other", ()
    only = inner[0]
    if typing.get_origin(only) is Literal:
        return "choice", tuple(str(word) for word in typing.get_args(only))
    if typing.get_origin(only) in {tuple, list}:
        return ("list" if typing.get_args(only)[0] is str else "other"), ()
    return _KINDS.get(only, "other"), ()


def _bounds(info: FieldInfo) -> str:
    low = high = ""
    for mark in info.metadata:
        if (least := getattr(mark, "ge", None)) is not None:
            low = f"{least:g}"
        elif (least := getattr(mark, "gt", None)) is not None:
            low = f"more than {least:g}"
        elif (most := getattr(mark, "le", None)) is not None:
            high = f"{most:g}"
        elif (most := getattr(mark, "lt", None)) is not None:
            high = f"less than {most:g}"
    if low and high:
        return f"{low} to {high}"
    if low:
        return low if low.startswith("more") else f"at least {low}"
    return f"at most {high}" if high else ""


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    if typing.get_origin(annotation) in {typing.Union, types.UnionType}:
        return typing.get_args(annotation)
    return (annotation,)


def _is_table(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)
