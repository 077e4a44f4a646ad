import threading

import pytest

from retrieval.worker import TimeLimit


def test_a_call_in_time_gives_its_value() -> None:
    assert TimeLimit[int]().run(lambda: 7, 5) == 7


def test_what_the_call_raises_is_raised() -> None:
    def fail() -> int:
        raise KeyError("x")

    with pytest.raises(KeyError):
        TimeLimit[int]().run(fail, 5)


def test_a_timeout_that_the_call_itself_raises_does_not_count_as_late() -> None:
    limit = TimeLimit[int]()

    def fail() -> int:
        raise TimeoutError("of the call itself")

    for _ in range(4):
        with pytest.raises(TimeoutError, match="of the call itself"):
            limit.run(fail, 5)
    assert not limit.is_paused


def test_a_call_in_time_forgets_the_late_ones_before() -> None:
    limit, release = TimeLimit[bool](), threading.Event()
    for _ in range(2):
        with pytest.raises(TimeoutError):
            limit.run(lambda: release.wait(10), 0.01)
    assert limit.run(lambda: True, 5)
    with pytest.raises(TimeoutError):
        limit.run(lambda: release.wait(10), 0.01)
    assert not limit.is_paused
    release.set()
