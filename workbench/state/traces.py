"""Names of the widgets and session values of the page Traces: each starts with `traces.`."""

SPAN = "traces.span"
OUTCOME = "traces.outcome"
LAYER = "traces.layer"
TEXT = "traces.text"
AS_OF = "traces.as_of"
"""Session value: when the list was last refreshed."""
PAGE = "traces.page"
REFRESH = "traces.refresh"
REPLAY = "traces.replay"
LABEL = "traces.label"
CLOSE = "traces.close"
QUEUE = "traces.queue"
"""Session value: ids of the records that are being labelled, in order."""
REPLAYED = "traces.replayed"
"""Session value: ids whose replay is shown."""
SET = "traces.set"
NEW_SET = "traces.new_set"
CREATE_SET = "traces.create_set"
JUDGE_NAME = "traces.judged_by"
POSITION = "traces.position"
"""Session value: which record of the queue is shown, from 0."""
PREVIOUS = "traces.previous"
NEXT = "traces.next"
END = "traces.end"
NOTICE = "traces.notice"
"""Session value: what the last judgement did, or why it was not written."""
ID_PARAMETER = "trace"
"""URL parameter: the record that is open."""


def grade(invocation: str, source: str, token: str) -> str:
    """The judgement of one note for one record; another state of the set is another widget."""
    return f"traces.grade.{invocation}.{token}.{source}"


def missing(invocation: str, token: str) -> str:
    """The choice of a note that the record lacks."""
    return f"traces.missing.{invocation}.{token}"


def no_answer(invocation: str, token: str) -> str:
    """Whether no note answers the record's query."""
    return f"traces.no_answer.{invocation}.{token}"


def table(page: int, fingerprint: str) -> str:
    """The table of one page of one list; another list starts without selection."""
    return f"traces.table.{page}.{fingerprint}"
