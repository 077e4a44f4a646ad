"""The tables as SQLAlchemy sees them; `migrations.py` creates and changes them."""

from datetime import UTC, datetime

from sqlalchemy import (
    JSON,
    Column,
    DateTime,
    Dialect,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
)
from sqlalchemy.dialects.postgresql import JSONB

METADATA = MetaData()


class UtcDateTime(TypeDecorator[datetime]):
    """A time in UTC, aware on both sides, also where the database has no time zones (SQLite)."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.utcoffset() is None:
            raise ValueError("a time without time zone cannot be compared with records")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if dialect.name == "sqlite" else value.astimezone(UTC)


_JSON = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")

SCHEMA_VERSION_TABLE = Table("schema_version", METADATA, Column("version", Integer, nullable=False))

TOOL_INVOCATION = Table(
    "tool_invocation",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("created_at", UtcDateTime, nullable=False),
    Column("tool_name", Text, nullable=False),
    Column("caller", Text, nullable=False),
    Column("session_id", Text),
    Column("query", Text),
    Column("arguments", _JSON, nullable=False),
    Column("outcome", String(16), nullable=False),
    Column("retrieval_layer", String(8)),
    Column("latency_ms", Float),
    Column("error", _JSON),
    Column("retrieval_details", _JSON, nullable=False),
    Index("ix_tool_invocation_created_at", "created_at"),
    Index("ix_tool_invocation_outcome", "outcome", "created_at"),
    Index("ix_tool_invocation_retrieval_layer", "retrieval_layer", "created_at"),
)
