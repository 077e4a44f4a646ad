"""Retrievers that force one behaviour of L1."""

import threading
from dataclasses import dataclass, field

from retrieval.types import Candidate, L1Outcome, L1Request


@dataclass
class StaticRetriever:
    """Answers every request with the same outcome, and keeps the requests."""

    outcome: L1Outcome
    found: tuple[Candidate, ...] = ()
    is_open: bool = True
    requests: list[L1Request] = field(default_factory=list)

    def retrieve(self, request: L1Request) -> L1Outcome:
        self.requests.append(request)
        return self.outcome

    def fulltext(self, request: L1Request) -> tuple[Candidate, ...]:
        return self.found


@dataclass
class FailingRetriever:
    """Raises on every request, full text included."""

    error: Exception
    is_open: bool = True

    def retrieve(self, request: L1Request) -> L1Outcome:
        raise self.error

    def fulltext(self, request: L1Request) -> tuple[Candidate, ...]:
        raise OSError("full text is broken too")


@dataclass
class SlowRetriever:
    """Hangs until it is released."""

    release: threading.Event = field(default_factory=threading.Event)
    is_open: bool = True
    asked: int = 0

    def retrieve(self, request: L1Request) -> L1Outcome:
        self.asked += 1
        self.release.wait(10)
        return L1Outcome(status="empty", mode=request.mode, attempted=True)

    def fulltext(self, request: L1Request) -> tuple[Candidate, ...]:
        return ()
