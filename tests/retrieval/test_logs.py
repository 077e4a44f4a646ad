"""Log lines: one JSON object each, whatever the query holds, and none that nobody asked for."""

import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from retrieval import KnowledgeBase, lookup_knowledge
from retrieval.cli import main
from retrieval.logs import LogSection, configure_logs
from tests.notes import write_notes

HOSTILE = 'refund\n{"level": "error"}\r\x1b[31m\u2028\x85\x00 "quoted" \ud83d'


@pytest.fixture(autouse=True)
def _silent_again() -> Iterator[None]:
    yield
    configure_logs(LogSection())


def open_base(tmp_path: Path, **records: str) -> KnowledgeBase:
    settings = {
        "embedding": {"model": "hash:64"},
        "state_dir": str(tmp_path / "state"),
        "records": records,
    }
    return KnowledgeBase.open(write_notes(tmp_path / "notes"), settings)


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """The log, each line of it parsed; nothing stands on stdout."""
    out, err = capsys.readouterr()
    assert out == ""
    assert err.isascii()
    return [json.loads(line, parse_constant=pytest.fail) for line in err.split("\n") if line]


def test_the_library_alone_logs_nothing_and_adds_no_handler_that_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_base(tmp_path) as base:
        lookup_knowledge("refund policy", kb=base)
    assert lines(capsys) == []
    (handler,) = logging.getLogger("retrieval").handlers
    assert isinstance(handler, logging.NullHandler)


def test_a_plain_script_prints_nothing_for_a_refused_call(tmp_path: Path) -> None:
    """In a process of its own: pytest's handlers keep Python's handler of last resort silent."""
    script = (
        "import sys; from retrieval import KnowledgeBase, lookup_knowledge\n"
        "kb = KnowledgeBase.open(sys.argv[1], {'embedding': {'model': 'hash:64'}})\n"
        "print(lookup_knowledge('vpn', kb=kb, top_k=0).outcome)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(write_notes(tmp_path / "notes"))],
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("refused\n", "")


def test_a_call_is_one_line_with_the_id_of_its_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_logs(LogSection(format="json"))
    with open_base(tmp_path) as base:
        base.reindex()
        result = lookup_knowledge("refund policy", kb=base, caller="test")
        assert base.records().get(result.invocation_id or "").query == "refund policy"
    (line,) = lines(capsys)
    assert line["invocation_id"] == result.invocation_id
    assert (line["level"], line["logger"], line["event"]) == ("info", "retrieval.lookup", "lookup")
    assert (line["caller"], line["query"], line["outcome"]) == ("test", "refund policy", "evidence")
    assert line["time"].endswith("+00:00")


def test_a_query_cannot_forge_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs(LogSection(format="json"))
    with open_base(tmp_path) as base:
        lookup_knowledge(HOSTILE, kb=base)
    (line,) = lines(capsys)
    assert line["query"] == HOSTILE
    assert line["level"] == "warning"  # L1 has no index


@pytest.mark.parametrize("record", ["no_query", "off"])
def test_a_private_query_stands_in_no_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], record: str
) -> None:
    configure_logs(LogSection(format="json", level="debug"))
    with open_base(tmp_path, record=record) as base:
        lookup_knowledge("where is my zebra refund", kb=base)
        lookup_knowledge("zebra", kb=base, top_k=0)
    _, err = capsys.readouterr()
    assert len(err.splitlines()) == 2
    assert "zebra" not in err


def test_a_record_that_waits_is_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_logs(LogSection(format="json", level="warning"))
    folder = tmp_path / "in-the-way"
    folder.mkdir()
    with open_base(tmp_path, url=f"sqlite:///{folder}") as base:
        lookup_knowledge("refund policy", kb=base, mode="l0")
    (line,) = lines(capsys)
    assert line["warnings"] == ["record_spooled"]


def test_configuring_twice_writes_each_line_once_and_off_ends_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        configure_logs(LogSection(format="json"))
    with open_base(tmp_path) as base:
        lookup_knowledge("refund policy", kb=base)
        assert len(lines(capsys)) == 1
        configure_logs(LogSection())
        lookup_knowledge("refund policy", kb=base)
        assert lines(capsys) == []


def test_an_exception_is_one_line_and_nan_is_null(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs(LogSection(format="json"))
    try:
        raise ValueError("two\nlines")
    except ValueError:
        fields = {"score": float("nan"), "where": Path("a"), "list": [float("inf"), {1: "x"}]}
        logging.getLogger("retrieval.test").exception("broke", extra={"fields": fields})
    (line,) = lines(capsys)
    assert "ValueError: two\nlines" in line["traceback"]
    assert (line["score"], line["where"], line["list"]) == (None, "a", [None, {"1": "x"}])


def test_the_command_logs_to_stderr_and_its_answer_stays_alone_on_stdout(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = write_notes(tmp_path / "notes")
    words = ["query", "refund policy", "--mode", "l0", "--json", "--kb", str(root)]
    assert main(["--log", "json", *words]) == 0
    out, err = capsys.readouterr()
    assert json.loads(err)["invocation_id"] == json.loads(out)["invocation_id"]
    assert main(words) == 0
    assert capsys.readouterr().err == ""


def test_the_environment_switches_logs_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOKUP_LOGS__FORMAT", "json")
    root = write_notes(tmp_path / "notes")
    assert main(["query", "refund policy", "--mode", "l0", "--kb", str(root)]) == 0
    assert json.loads(capsys.readouterr().err)["event"] == "lookup"
