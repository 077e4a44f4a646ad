"""Running L1 under a time limit, and leaving it alone for a while when it keeps missing it."""

import contextvars
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

T = TypeVar("T")

TIMEOUTS_IN_A_ROW = 3
PAUSE_SECONDS = 30.0


class TimeLimit(Generic[T]):
    """Runs calls in daemon threads; one that is late is abandoned, not waited for.

    After three timeouts in a row it `is_paused` for 30 seconds; the next call after that is tried.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._late = 0
        self._paused_until = float("-inf")

    @property
    def is_paused(self) -> bool:
        """True while calls should be skipped."""
        return self._clock() < self._paused_until

    def run(self, call: Callable[[], T], seconds: float) -> T:
        """The call's value; raises what it raises, and `TimeoutError` when it is late.

        What it raises that is no `Exception` becomes a `RuntimeError`.
        """
        future: Future[T] = Future()

        context = contextvars.copy_context()  # the current span, for one

        def work() -> None:
            try:
                future.set_result(context.run(call))
            except Exception as error:  # noqa: BLE001 - handed to the caller by the future
                future.set_exception(error)
            except BaseException as panic:  # noqa: BLE001 - so that a caller need not expect it
                # A panic in compiled code, such as Chroma's, is no `Exception`.
                failure = RuntimeError(f"{type(panic).__name__}: {panic}")
                failure.__cause__ = panic
                future.set_exception(failure)

        threading.Thread(target=work, name="lookup-l1", daemon=True).start()
        try:
            value = future.result(timeout=seconds)
        except TimeoutError:
            if not future.done():
                self._miss()
            raise
        with self._lock:
            self._late = 0
        return value

    def _miss(self) -> None:
        with self._lock:
            self._late += 1
            if self._late >= TIMEOUTS_IN_A_ROW:
                self._late = 0
                self._paused_until = self._clock() + PAUSE_SECONDS
