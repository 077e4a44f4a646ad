"""Leaving a database server alone for a while after it could not be reached."""

import threading
import time
from collections.abc import Callable

PAUSE_SECONDS = 10.0


class Breaker:
    """Says whether a server should be asked. After a failure it is not, for `pause` seconds; then
    one caller tries, while the others still do without.
    """

    def __init__(
        self, pause: float = PAUSE_SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._pause = pause
        self._clock = clock
        self._lock = threading.Lock()
        self._closed_until: float | None = None
        self.reason = ""
        """Why the last call failed."""

    @property
    def pause(self) -> float:
        """Seconds from a failure to the next try."""
        return self._pause

    def admits(self) -> bool:
        """True when the caller should ask the server, and then say how it went."""
        with self._lock:
            if self._closed_until is None:
                return True
            if self._clock() < self._closed_until:
                return False
            self._closed_until = self._clock() + self._pause
            return True

    def fail(self, reason: str) -> None:
        """The server could not be reached."""
        with self._lock:
            self.reason = reason
            self._closed_until = self._clock() + self._pause

    def succeed(self) -> None:
        """The server answered."""
        with self._lock:
            self._closed_until = None
