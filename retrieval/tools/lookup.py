"""`lookup_knowledge`: the tool that agents call. Answers, records, and does not raise."""

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Unpack

from retrieval.errors import (
    InvalidInput,
    KnowledgeError,
    QueryNotText,
    RetrievalError,
    SettingsError,
)
from retrieval.knowledge_base import KnowledgeBase
from retrieval.logs import log_call
from retrieval.options import ScopedOptions, refuse_unknown, spell_out
from retrieval.serialize import retrieval_details
from retrieval.shown import to_plain
from retrieval.telemetry import describe_call, trace_tool
from retrieval.tools.brief import refuse_briefly, shorten_messages
from retrieval.tools.flagging import flag_instructions
from retrieval.types import ErrorInfo, LookupResult

TOOL_NAME = "lookup_knowledge"

_default_lock = threading.Lock()
_default: list[KnowledgeBase] = []


@spell_out
def lookup_knowledge(
    query: str,
    *,
    kb: KnowledgeBase | None = None,
    caller: str = "python",
    session_id: str | None = None,
    record: bool = True,
    **options: Unpack[ScopedOptions],
) -> LookupResult:
    """What the knowledge base says about `query`: evidence blocks, how sure, and why.

    Ask in a full question or phrase, one topic at a time. `primary` is the best evidence,
    `supplement` the rest. Outcome `fallback` means that only words matched, because semantic
    retrieval was empty or down: use the evidence, and do not call it a semantic finding.
    `no_evidence` means that nothing fits: say so rather than guess. `refused` and `error` carry
    `error.next_action`.

    Without `kb` the default knowledge base is opened once and kept. The other options are those
    of `KnowledgeBase.lookup`. A warning tells when evidence reads like instructions to a model.
    The call is recorded in `tool_invocation` as the settings say; a record that cannot be written
    adds a warning and never costs the answer.

    Raises only when the default knowledge base itself cannot be opened, and `TypeError` for an
    option that does not exist.
    """
    refuse_unknown("lookup_knowledge", options, ScopedOptions)
    base = kb if kb is not None else _open_default()
    return answer(
        base,
        query,
        options,
        arguments={name: value for name, value in options.items() if value is not None},
        caller=caller,
        session_id=session_id,
        record=record,
    )


def answer(
    kb: KnowledgeBase,
    query: str,
    options: Mapping[str, Any],
    *,
    arguments: Mapping[str, Any],
    caller: str,
    session_id: str | None = None,
    record: bool = True,
) -> LookupResult:
    """The answer of every door: `options` go to the lookup, `arguments` into the record."""

    def look_up() -> LookupResult:
        try:
            return flag_instructions(kb.lookup(query, **options))
        except (KnowledgeError, SettingsError) as error:  # no fault of whoever calls
            return refuse_briefly(kb, query, error, "error")
        except InvalidInput as error:
            return refuse_briefly(kb, query, error, "refused")
        except Exception as error:  # noqa: BLE001 - an agent's door: an answer, not a traceback
            return refuse_briefly(kb, query, _as_retrieval_error(error), "error")

    return _serve(
        kb, look_up, arguments=arguments, caller=caller, session_id=session_id, record=record
    )


def refuse_call(
    kb: KnowledgeBase,
    query: object,
    error: InvalidInput,
    *,
    arguments: Mapping[str, Any],
    caller: str,
    session_id: str | None = None,
    record: bool = True,
) -> LookupResult:
    """The answer to a call whose arguments are wrong, recorded like any other."""
    return _serve(
        kb,
        lambda: refuse_briefly(kb, query, error, "refused"),
        arguments=arguments,
        caller=caller,
        session_id=session_id,
        record=record,
    )


@spell_out
async def alookup_knowledge(
    query: str,
    *,
    kb: KnowledgeBase | None = None,
    caller: str = "python",
    session_id: str | None = None,
    record: bool = True,
    **options: Unpack[ScopedOptions],
) -> LookupResult:
    """`lookup_knowledge`, in a thread: for code that runs an event loop."""
    return await asyncio.to_thread(
        lookup_knowledge,
        query,
        kb=kb,
        caller=caller,
        session_id=session_id,
        record=record,
        **options,
    )


def _serve(
    kb: KnowledgeBase,
    ask: Callable[[], LookupResult],
    *,
    arguments: Mapping[str, Any],
    caller: str,
    session_id: str | None,
    record: bool,
) -> LookupResult:
    """What `ask` gives, recorded as the settings say, in a span and with a line in the log."""
    started = time.perf_counter()
    with trace_tool(TOOL_NAME) as span:
        result = shorten_messages(ask())
        latency = (time.perf_counter() - started) * 1000
        if record and kb.settings.records.record != "off":
            result = _record(
                kb,
                result,
                arguments=arguments,
                caller=caller,
                session_id=session_id,
                latency=latency,
            )
        with_query = kb.settings.records.record == "full"
        describe_call(span, result, with_query=with_query)
        log_call(result, caller=caller, latency_ms=latency, with_query=with_query)
    return result


def _open_default() -> KnowledgeBase:
    with _default_lock:
        if not _default:
            _default.append(KnowledgeBase.open())
        return _default[0]


def _as_retrieval_error(error: Exception) -> RetrievalError:
    if isinstance(error, RetrievalError):
        return error
    return RetrievalError(
        f"{type(error).__name__}: {error}.",
        next_action="Run `lookup-knowledge lint` and `lookup-knowledge index --full`.",
    )


def _record(
    base: KnowledgeBase,
    result: LookupResult,
    *,
    arguments: Mapping[str, Any],
    caller: str,
    session_id: str | None,
    latency: float,
) -> LookupResult:
    """The result with its invocation's id, and a warning when the record was not written."""
    from retrieval.records import ToolInvocation

    is_text = result.error is None or result.error.code != QueryNotText.code
    with_query = base.settings.records.record == "full" and is_text
    invocation = ToolInvocation(
        tool_name=TOOL_NAME,
        caller=caller,
        session_id=session_id,
        query=result.query if with_query else None,
        arguments=to_plain(arguments),
        outcome=result.outcome,
        retrieval_layer=result.retrieval_layer,
        latency_ms=round(latency, 3),
        error=_error(result),
        retrieval_details=dict(retrieval_details(result)),
    )
    warning = _write(base, invocation)
    warnings = (*result.warnings, warning) if warning else result.warnings
    return replace(result, invocation_id=invocation.id, warnings=warnings)


def _write(base: KnowledgeBase, invocation: Any) -> ErrorInfo | None:
    try:
        warning: ErrorInfo | None = base.records().write(invocation)
    except RetrievalError as error:
        return ErrorInfo(code="record_failed", message=error.message, next_action=error.next_action)
    return warning


def _error(result: LookupResult) -> dict[str, str] | None:
    error = result.error or result.l1.error
    if error is None:
        return None
    return {"code": error.code, "message": error.message, "next_action": error.next_action}
