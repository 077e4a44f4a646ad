"""Re-indexing in a thread: one run for a knowledge base at a time, seen by every session."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.errors import RetrievalError
from retrieval.knowledge_base import KnowledgeBase
from retrieval.types import ErrorInfo

if TYPE_CHECKING:
    from retrieval.semantic.build import IndexReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """How far a run is."""

    stage: str
    """`start`, `load` or `embed`."""
    done: int
    total: int


class IndexRun:
    """One re-index, running or ended."""

    def __init__(self, future: "Future[IndexReport]", steps: list[Step]) -> None:
        self._future = future
        self._steps = steps

    @property
    def step(self) -> Step:
        """The newest step."""
        return self._steps[0]

    @property
    def ended(self) -> bool:
        """True with a report or an error."""
        return self._future.done()

    def wait(self, seconds: float | None = None) -> None:
        """Waits for the end; raises `TimeoutError` when it does not come in time."""
        self._future.exception(seconds)

    @property
    def report(self) -> "IndexReport | None":
        """What the run did; None before its end and after an error."""
        if not self.ended or self._future.exception() is not None:
            return None
        return self._future.result()

    @property
    def error(self) -> ErrorInfo | None:
        """Why there is no report; None before its end and with one."""
        error = self._future.exception() if self.ended else None
        if error is None:
            return None
        if isinstance(error, RetrievalError):
            return error.info()
        return ErrorInfo(
            code="index_failed",
            message=f"The index could not be built: {type(error).__name__}: {error}.",
            next_action="The index before is still in use. Run `lookup-knowledge doctor`.",
        )


_guard = threading.Lock()
_runs: dict[Path, IndexRun] = {}
_pool = ThreadPoolExecutor(max_workers=2, thread_name_prefix="reindex")


def start_run(base: KnowledgeBase, *, full: bool = False) -> IndexRun:
    """Starts a re-index; the one that runs already, if any."""
    with _guard:
        run = _runs.get(base.location.state_dir)
        if run is None or run.ended:
            steps = [Step(stage="start", done=0, total=0)]

            def note(stage: str, done: int, total: int) -> None:
                steps[0] = Step(stage=stage, done=done, total=total)

            future = _pool.submit(base.reindex, full=full, progress=note)
            run = _runs[base.location.state_dir] = IndexRun(future, steps)
        return run


def find_run(base: KnowledgeBase) -> IndexRun | None:
    """The run of this knowledge base: the one that is on, else the last."""
    with _guard:
        return _runs.get(base.location.state_dir)
