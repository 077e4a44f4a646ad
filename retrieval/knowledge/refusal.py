"""A note that cannot be read, as an error that carries its row of the load report."""

from retrieval.errors import KnowledgeError
from retrieval.types import LoadIssue


class NoteRefused(KnowledgeError):
    """One file is not in the result; `issue` is its row in the load report."""

    code = "note_refused"

    def __init__(self, issue: LoadIssue) -> None:
        where = f"{issue.source}:{issue.line}" if issue.line else issue.source
        super().__init__(f"{where}: {issue.message}", next_action=issue.next_action)
        self.issue = issue


def refuse(
    source: str, code: str, message: str, next_action: str, line: int | None = None
) -> NoteRefused:
    """The error to raise for a file that cannot be read."""
    return NoteRefused(
        LoadIssue(
            source=source,
            severity="error",
            code=code,
            message=message,
            line=line,
            next_action=next_action,
        )
    )


def warn(
    source: str, code: str, message: str, next_action: str, line: int | None = None
) -> LoadIssue:
    """The row for something in a file that was loaded all the same."""
    return LoadIssue(
        source=source,
        severity="warning",
        code=code,
        message=message,
        line=line,
        next_action=next_action,
    )
