"""Background work: it reports progress, ends on request, and hands on what it gave or raised."""

import threading

import pytest

from workbench.services.jobs import Job, Stopped, Tell


def test_a_job_gives_its_value_and_its_last_step() -> None:
    def work(tell: Tell) -> int:
        tell("one", 2, 2)
        tell("two", 1, 4)
        return 7

    job = Job(work, ("one", "two"))
    assert job.result(10) == 7
    assert job.state == "done"
    assert (job.step.stage, job.step.done, job.step.share) == ("two", 1, 0.625)


def test_a_stage_that_is_not_planned_keeps_the_share_before_it() -> None:
    def work(tell: Tell) -> None:
        tell("one", 1, 2)
        tell("embed", 9, 10)

    job = Job(work, ("one", "two"))
    job.result(10)
    assert (job.step.stage, job.step.share) == ("embed", 0.25)


def test_stop_ends_the_work_at_its_next_report() -> None:
    asked, reached = threading.Event(), []

    def work(tell: Tell) -> None:
        tell("one", 0, 2)
        asked.wait(10)
        tell("one", 1, 2)
        reached.append("past the report")

    job = Job(work, ("one",))
    job.stop()
    assert job.state in ("stopping", "stopped")
    asked.set()
    with pytest.raises(Stopped):
        job.result(10)
    assert job.state == "stopped"
    assert reached == []


def test_stop_after_the_last_report_gives_no_value() -> None:
    asked = threading.Event()

    def work(_: Tell) -> int:
        asked.wait(10)
        return 1

    job = Job(work)
    job.stop()
    asked.set()
    with pytest.raises(Stopped):
        job.result(10)


def test_an_error_is_raised_to_the_one_who_asks() -> None:
    def work(_: Tell) -> None:
        raise OSError("the disk is full")

    job = Job(work)
    with pytest.raises(OSError, match="disk is full"):
        job.result(10)
    assert job.state == "failed"
