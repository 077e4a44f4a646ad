"""Every error that a caller can meet.

RetrievalError
├── InvalidInput            the caller's argument is wrong (exit code 2)
│   ├── EmptyQuery          nothing to look up: blank or punctuation only
│   ├── QueryNotText        the query is no string
│   ├── UnknownFilter       a filter names a field or operator that does not exist
│   ├── UnknownSource       no such note in this knowledge base
│   ├── SettingsError       knowledge.toml, environment or argument refused by name
│   └── KnowledgeError      the knowledge root is missing, no folder, or holds no note
├── IndexUnavailable        L1 cannot be asked; L0 answers meanwhile
│   ├── IndexMissing        nothing was indexed yet
│   ├── IndexMismatch       built with another model, dimension or settings
│   ├── IndexDamaged        files of the index do not hold what they should
│   ├── IndexLocked         another process is writing
│   ├── IndexUnreachable    the Chroma server does not answer, or refuses
│   └── IndexUnwritable     no space, no right, or a broken disk while it was written
├── EmbeddingError          the embedder's files are missing, altered, or it failed
├── RecordError             the invocation could not be stored or read
└── MissingExtra            an optional package is not installed

Each has `code` (stable, for programs), `message` and `next_action` (what to do about it).
"""

from typing import ClassVar

from retrieval.types import ErrorInfo


class RetrievalError(Exception):
    """Base of all errors of this project."""

    code: ClassVar[str] = "retrieval_error"

    def __init__(self, message: str, *, next_action: str) -> None:
        super().__init__(message)
        self.message = message
        self.next_action = next_action

    def __str__(self) -> str:
        return f"{self.message} {self.next_action}"

    def info(self) -> ErrorInfo:
        """The error as data."""
        return ErrorInfo(code=self.code, message=self.message, next_action=self.next_action)


class InvalidInput(RetrievalError):
    code = "invalid_input"


class EmptyQuery(InvalidInput):
    code = "empty_query"


class QueryNotText(InvalidInput):
    code = "query_not_text"


class UnknownFilter(InvalidInput):
    code = "unknown_filter"


class UnknownSource(InvalidInput):
    code = "unknown_source"


class SettingsError(InvalidInput):
    code = "settings_error"


class KnowledgeError(InvalidInput):
    code = "knowledge_error"


class IndexUnavailable(RetrievalError):
    code = "index_unavailable"


class IndexMissing(IndexUnavailable):
    code = "index_missing"


class IndexMismatch(IndexUnavailable):
    code = "index_mismatch"


class IndexDamaged(IndexUnavailable):
    code = "index_damaged"


class IndexLocked(IndexUnavailable):
    code = "index_locked"


class IndexUnreachable(IndexUnavailable):
    code = "index_unreachable"


class IndexUnwritable(IndexUnavailable):
    code = "index_unwritable"


class EmbeddingError(RetrievalError):
    code = "embedding_error"


class RecordError(RetrievalError):
    code = "record_error"


class MissingExtra(RetrievalError):
    code = "missing_extra"

    def __init__(self, feature: str, extra: str, *, install: str | None = None) -> None:
        package = install or f"'knowledge-lookup-workbench[{extra}]'"
        super().__init__(
            f"{feature} needs the extra '{extra}', which is not installed.",
            next_action=f"Run: pip install {package}",
        )
