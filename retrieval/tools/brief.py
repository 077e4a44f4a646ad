"""What an answer repeats of errors, of values in notes and of the caller's own words, kept short.

These stand beside the evidence, so no budget that trims evidence reaches them.
"""

from dataclasses import replace

from retrieval.errors import RetrievalError
from retrieval.knowledge_base import KnowledgeBase
from retrieval.shown import cut, show
from retrieval.tools.definition import LONGEST_QUERY
from retrieval.types import ErrorInfo, LookupResult, Outcome

LONGEST_MESSAGE = 500


def shorten_messages(result: LookupResult) -> LookupResult:
    """The result with each text of errors and warnings cut at 500 characters."""
    error, failed = result.error, result.l1.error
    return replace(
        result,
        error=error and _shorten(error),
        warnings=tuple(_shorten(warning) for warning in result.warnings),
        l1=replace(result.l1, error=failed and _shorten(failed)),
    )


def refuse_briefly(
    kb: KnowledgeBase, query: object, error: RetrievalError, outcome: Outcome
) -> LookupResult:
    """The result of a query that was not looked up, cut to what a model may ask.

    The warning `query_cut` says so.
    """
    text = query if isinstance(query, str) else show(query)
    result = kb.refuse(cut(text, LONGEST_QUERY), error, outcome)
    if len(text) <= LONGEST_QUERY:
        return result
    warning = ErrorInfo(
        code="query_cut",
        message=f"The query has {len(text):,} characters; this answer and the record hold "
        f"{LONGEST_QUERY:,}.",
        next_action=f"Ask in at most {LONGEST_QUERY:,} characters.",
    )
    return replace(result, warnings=(*result.warnings, warning))


def _shorten(error: ErrorInfo) -> ErrorInfo:
    return replace(
        error,
        message=cut(error.message, LONGEST_MESSAGE),
        next_action=cut(error.next_action, LONGEST_MESSAGE),
    )
