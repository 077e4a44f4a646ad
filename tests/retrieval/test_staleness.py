import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval import KnowledgeBase
from retrieval.staleness import LEAST_SECONDS, PAUSE, StaleScan


@pytest.fixture
def base(tmp_path: Path) -> Iterator[KnowledgeBase]:
    root = tmp_path / "notes"
    root.mkdir()
    (root / "a.md").write_text("# Alpha\n\nThe first note.\n", encoding="utf-8")
    settings = {"state_dir": str(tmp_path / "state"), "embedding": {"model": "hash:16"}}
    with KnowledgeBase.open(root, settings) as found:
        found.reindex()
        yield found


class Clock:
    """A time of the test's own; each reading moves it on by `step`."""

    def __init__(self, step: float = 0.0) -> None:
        self.now = 0.0
        self.step = step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def count(scan: StaleScan) -> int:
    warning = scan.warning()
    return int(warning.message.split()[0]) if warning else 0


def test_a_change_is_told_after_two_seconds_when_a_scan_takes_no_time(base: KnowledgeBase) -> None:
    clock = Clock()
    scan = StaleScan(base.settings, base.location, clock=clock)
    assert count(scan) == 0
    (base.location.root / "b.md").write_text("# Beta\n", encoding="utf-8")
    clock.now = 0.9 * LEAST_SECONDS
    assert count(scan) == 0
    clock.now = LEAST_SECONDS
    assert count(scan) == 1


def test_a_scan_that_takes_long_is_repeated_a_hundred_times_later(base: KnowledgeBase) -> None:
    clock = Clock(step=1.0)
    scan = StaleScan(base.settings, base.location, clock=clock)
    assert count(scan) == 0
    ended = clock.now
    clock.step = 0.0
    (base.location.root / "b.md").write_text("# Beta\n", encoding="utf-8")
    clock.now = ended + 0.9 * PAUSE
    assert count(scan) == 0
    clock.now = ended + PAUSE
    assert count(scan) == 1


def test_threads_that_ask_at_once_all_hear_of_the_change(base: KnowledgeBase) -> None:
    (base.location.root / "b.md").write_text("# Beta\n", encoding="utf-8")
    scan = StaleScan(base.settings, base.location)
    start = threading.Barrier(8)
    heard: list[int] = []

    def ask() -> None:
        start.wait()
        heard.append(count(scan))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard == [1] * 8
