"""Small records, and what waits in a spool."""

from pathlib import Path
from typing import Any

from sqlalchemy import text

from retrieval.records import ToolInvocation
from retrieval.records.engine import open_engine


def invocation(query: str | None = "refund window", **values: Any) -> ToolInvocation:
    values = {"tool_name": "lookup_knowledge", "caller": "test", "outcome": "evidence"} | values
    return ToolInvocation(query=query, **values)


def spool_of(tmp_path: Path) -> list[str]:
    path = tmp_path / "spool" / "records.jsonl"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def read_raw(url: str, statement: str) -> list[tuple[Any, ...]]:
    """The rows as the database holds them, past the store."""
    engine = open_engine(url)
    with engine.connect() as connection:
        rows = [tuple(row) for row in connection.execute(text(statement))]
    engine.dispose()
    return rows
