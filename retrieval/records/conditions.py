"""Which records are meant, as conditions of SQL."""

from datetime import datetime
from typing import Literal

from sqlalchemy import ColumnElement

from retrieval.records.tables import TOOL_INVOCATION
from retrieval.types import Layer, Outcome


def matching(
    *,
    outcome: Outcome | None = None,
    layer: Layer | Literal["none"] | None = None,
    text: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> list[ColumnElement[bool]]:
    """Conditions that all must hold; none for what is left out. See `InvocationStore.list`."""
    table = TOOL_INVOCATION.c
    conditions: list[ColumnElement[bool]] = []
    if outcome is not None:
        conditions.append(table.outcome == outcome)
    if layer == "none":
        conditions.append(table.retrieval_layer.is_(None))
    elif layer is not None:
        conditions.append(table.retrieval_layer == layer)
    if text:
        conditions.append(table.query.icontains(text, autoescape=True))
    if since is not None:
        conditions.append(table.created_at >= since)
    if until is not None:
        conditions.append(table.created_at < until)
    return conditions
