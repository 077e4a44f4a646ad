"""Structured logs: one JSON object a line, on stderr.

The library logs to `retrieval.*`, prints nothing by itself, and never configures logging. Programs
call `configure_logs`.
"""

import json
import logging
import math
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from retrieval.types import Json, LookupResult

_logger = logging.getLogger("retrieval.lookup")
# Python writes a warning that no handler takes to stderr, as the bare word of its event.
logging.getLogger("retrieval").addHandler(logging.NullHandler())


class LogSection(BaseModel):
    """The `[logs]` table of `knowledge.toml`: what commands and servers write to stderr."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal["off", "json"] = Field(
        default="off",
        description="what commands and servers write to stderr; json is one object a line",
    )
    level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="least severity that is written"
    )


class JsonFormatter(logging.Formatter):
    """One line of ASCII for each record, whatever it holds: `time`, `level`, `logger`, `event`,
    what the record has in `fields`, the ids of the current span if there is one, and a `traceback`.
    """

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Json] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        fields = getattr(record, "fields", {})
        line |= {name: _plain(value) for name, value in fields.items() if name not in line}
        line |= _span_ids()
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=True, allow_nan=False)


def configure_logs(section: LogSection) -> None:
    """Write the logs of this project to stderr as the settings say; call it again to change that.

    For programs only. Loggers of other packages stay as they are.
    """
    logger = logging.getLogger("retrieval")
    for handler in [h for h in logger.handlers if isinstance(h.formatter, JsonFormatter)]:
        logger.removeHandler(handler)
    if section.format == "off":
        logger.setLevel(logging.NOTSET)
        logger.propagate = True
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    logger.addHandler(handler)
    logger.setLevel(section.level.upper())
    logger.propagate = False  # a handler of the root would write the line a second time


def log_call(result: LookupResult, *, caller: str, latency_ms: float, with_query: bool) -> None:
    """One line about a call of the tool: a warning when L1 broke or the record was not stored."""
    codes = [warning.code for warning in result.warnings]
    error = result.error or result.l1.error
    level = logging.INFO
    if result.outcome == "error":
        level = logging.ERROR
    elif error is not None or {"record_spooled", "record_failed"} & set(codes):
        level = logging.WARNING
    if not _logger.isEnabledFor(level):
        return
    fields: dict[str, Any] = {
        "invocation_id": result.invocation_id,
        "caller": caller,
        "outcome": result.outcome,
        "retrieval_layer": result.retrieval_layer,
        "l1": result.l1.status,
        "evidence_blocks": len(result.evidence_blocks),
        "latency_ms": round(latency_ms, 3),
        "warnings": codes,
        "error": error.code if error is not None else None,
    }
    if with_query:
        fields["query"] = result.query
    _logger.log(level, "lookup", extra={"fields": fields})


def _span_ids() -> dict[str, Json]:
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return {}
    context = trace.get_current_span().get_span_context()
    if not context.is_valid:
        return {}
    return {"trace_id": f"{context.trace_id:032x}", "span_id": f"{context.span_id:016x}"}


def _plain(value: Any) -> Json:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return str(value)
