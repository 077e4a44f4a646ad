"""The statements of the record store."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import (
    ColumnElement,
    Connection,
    Insert,
    Select,
    and_,
    false,
    func,
    or_,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite

from retrieval.records.tables import TOOL_INVOCATION
from retrieval.types import Layer, Outcome

_TABLE = TOOL_INVOCATION.c
_NEWEST_FIRST = (_TABLE.created_at.desc(), _TABLE.id.desc())


_INSERT: Mapping[str, Insert] = {
    "postgresql": postgresql.insert(TOOL_INVOCATION).on_conflict_do_nothing(),
    "sqlite": sqlite.insert(TOOL_INVOCATION).on_conflict_do_nothing(),
}


def insert_new(connection: Connection) -> Insert:
    """An insertion that leaves a row alone whose id is there already."""
    return _INSERT[connection.dialect.name]


def select_newest(limit: int | None, offset: int = 0, **conditions: Any) -> Select[Any]:
    """Records that fulfil every condition given, newest first, without the first `offset`."""
    found = select(TOOL_INVOCATION).where(*matching(**conditions))
    return found.order_by(*_NEWEST_FIRST).limit(limit).offset(offset)


def select_count(**conditions: Any) -> Select[Any]:
    """How many records fulfil every condition given."""
    return select(func.count()).select_from(TOOL_INVOCATION).where(*matching(**conditions))


def matching(
    *,
    outcome: Outcome | None = None,
    layer: Layer | Literal["none"] | None = None,
    text: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> list[ColumnElement[bool]]:
    """Conditions that all must hold; none for what is left out. See `InvocationStore.list`."""
    conditions: list[ColumnElement[bool]] = []
    if outcome is not None:
        conditions.append(_TABLE.outcome == outcome)
    if layer == "none":
        conditions.append(_TABLE.retrieval_layer.is_(None))
    elif layer is not None:
        conditions.append(_TABLE.retrieval_layer == layer)
    if text:
        conditions.append(_TABLE.query.icontains(text, autoescape=True))
    if since is not None:
        conditions.append(_TABLE.created_at >= since)
    if until is not None:
        conditions.append(_TABLE.created_at < until)
    return conditions


def select_prefix(prefix: str) -> Select[Any]:
    """Records whose id begins so, by id."""
    begins = _TABLE.id.startswith(prefix, autoescape=True)
    return select(TOOL_INVOCATION).where(begins).order_by(_TABLE.id)


def beyond(
    connection: Connection, before: datetime | None, keep: int | None
) -> ColumnElement[bool]:
    """The condition of records older than `before`, or not among the newest `keep`."""
    conditions: list[ColumnElement[bool]] = [false()]
    if before is not None:
        conditions.append(_TABLE.created_at < before)
    if keep is not None:
        edge = connection.execute(
            select(_TABLE.created_at, _TABLE.id).order_by(*_NEWEST_FIRST).offset(keep).limit(1)
        ).one_or_none()
        if edge is not None:
            same_time = and_(_TABLE.created_at == edge.created_at, _TABLE.id <= edge.id)
            conditions += [_TABLE.created_at < edge.created_at, same_time]
    return or_(*conditions)
