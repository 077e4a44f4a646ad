"""Work that goes on in a thread while the pages are drawn, can be watched, and can be stopped."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import ClassVar, Generic, Literal, TypeVar

from retrieval.errors import RetrievalError

Value = TypeVar("Value")
State = Literal["running", "stopping", "stopped", "failed", "done"]
Tell = Callable[[str, int, int], None]


class Stopped(RetrievalError):
    """The work was told to stop; raised inside it, at its next report of progress."""

    code: ClassVar[str] = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """How far the work is."""

    stage: str
    done: int
    total: int
    share: float
    """Of the whole work, 0..1; stages count alike."""


class Job(Generic[Value]):
    """One piece of work in a daemon thread, started at once.

    `work` is given a function that it calls with stage, done and total; where `stop()` was called,
    that function raises `Stopped`, which ends the work. Other stages than the planned ones are
    reported with the share of those before them.
    """

    def __init__(self, work: Callable[[Tell], Value], stages: Sequence[str] = ()) -> None:
        self._stages = tuple(stages)
        self._stop = threading.Event()
        self._step = Step(stage="", done=0, total=0, share=0.0)
        self._future: Future[Value] = Future()

        def run() -> None:
            try:
                value = work(self._tell)
                self._check()
                self._future.set_result(value)
            except BaseException as error:  # noqa: BLE001 - handed to the page by the future
                self._future.set_exception(error)

        threading.Thread(target=run, name="workbench-job", daemon=True).start()

    @property
    def step(self) -> Step:
        """The last report of progress."""
        return self._step

    @property
    def state(self) -> State:
        """Where the work stands now."""
        if not self._future.done():
            return "stopping" if self._stop.is_set() else "running"
        error = self._future.exception()
        if error is None:
            return "done"
        return "stopped" if isinstance(error, Stopped) else "failed"

    def stop(self) -> None:
        """Ends the work at its next report of progress; has no effect on ended work."""
        self._stop.set()

    def result(self, timeout: float | None = None) -> Value:
        """What the work gave, waited for; raises what it raised, and `Stopped` when stopped."""
        return self._future.result(timeout)

    def _tell(self, stage: str, done: int, total: int) -> None:
        self._check()
        share = self._step.share
        if stage in self._stages:
            part = done / total if total else 1.0
            share = (self._stages.index(stage) + part) / len(self._stages)
        self._step = Step(stage=stage, done=done, total=total, share=min(share, 1.0))

    def _check(self) -> None:
        if self._stop.is_set():
            raise Stopped("The work was stopped.", next_action="Start it again.")
