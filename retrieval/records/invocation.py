"""A record as a value, and the JSON-safe form in which it is stored."""

import math
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from numbers import Integral, Real
from types import NoneType
from typing import Any

from retrieval.types import Json, Layer, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolInvocation:
    """One call of a tool, with what it was asked and how it was answered.

    `created_at` carries a time zone (`ValueError` without one). `query` is None where queries are
    not recorded, `error` is None or has `code`, `message`, `next_action`.
    """

    tool_name: str
    caller: str
    query: str | None
    outcome: Outcome
    retrieval_layer: Layer | None = None
    session_id: str | None = None
    arguments: Mapping[str, Json] = field(default_factory=dict)
    latency_ms: float | None = None
    error: Mapping[str, Json] | None = None
    retrieval_details: Mapping[str, Json] = field(default_factory=dict)
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __post_init__(self) -> None:
        if self.created_at.utcoffset() is None:
            raise ValueError("created_at needs a time zone")

    def to_dict(self) -> dict[str, Json]:
        """The record as strict JSON values; `created_at` is ISO 8601 in UTC.

        NaN and infinity become null. Characters that a database refuses (NUL, lone surrogates)
        become U+FFFD; values of other types become their text.
        """
        values = {name: _json_safe(getattr(self, name)) for name in _NAMES}
        values["created_at"] = self.created_at.astimezone(UTC).isoformat()
        return values

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "ToolInvocation":
        """The record that `to_dict` gave.

        Raises `TypeError` for a missing or unknown name and for a value of another type,
        `ValueError` for a time or a number that cannot be stored.
        """
        created_at = datetime.fromisoformat(data.get("created_at", ""))
        record = cls(**{**data, "created_at": created_at})
        for name, types in _TYPES.items():
            value = getattr(record, name)
            if not isinstance(value, types) or isinstance(value, bool):
                raise TypeError(f"{name} cannot be of type {type(value).__name__}")
        try:
            float(record.latency_ms or 0)
            created_at.astimezone(UTC)
        except OverflowError:
            raise ValueError("a time or a number is out of range") from None
        return record


_NAMES = tuple(field.name for field in fields(ToolInvocation))

# Checked when a record is read from a file: the names of outcomes and layers are left open, since
# the file may be of another release.
_TYPES: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("id", "tool_name", "caller", "outcome"), (str,)),
    **dict.fromkeys(("query", "retrieval_layer", "session_id"), (str, NoneType)),
    **dict.fromkeys(("arguments", "retrieval_details"), (Mapping,)),
    "error": (Mapping, NoneType),
    "latency_ms": (int, float, NoneType),
}


def _json_safe(value: Any) -> Json:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        if value.isascii() and "\x00" not in value:
            return value
        return (
            value.replace("\x00", "\ufffd")
            .encode("utf-16", "surrogatepass")
            .decode("utf-16", "replace")
        )
    # Before the abstract types: asking those takes longer.
    if isinstance(value, float):
        number = float(value)
        return number if math.isfinite(number) else None
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Mapping):
        return {str(_json_safe(str(key))): _json_safe(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_json_safe(item) for item in value]
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        number = float(value)
        return number if math.isfinite(number) else None
    return _json_safe(str(value))
