"""`lookup-knowledge traces prune`, on the bundled kind of database."""

import json
import os
import pty
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from retrieval import KnowledgeBase
from retrieval.cli import main
from retrieval.cli.prune import parse_age
from retrieval.errors import InvalidInput
from retrieval.records import ToolInvocation
from retrieval.records.spool import Spool
from tests.notes import write_notes


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    """Notes, and a record of each of the last five days; the oldest still in the spool."""
    root = write_notes(tmp_path / "notes")
    (root / "knowledge.toml").write_text('[embedding]\nmodel = "hash:64"\n', encoding="utf-8")
    with KnowledgeBase.open(root) as base:
        rows = [
            ToolInvocation(
                tool_name="t",
                caller="c",
                query=str(days),
                outcome="evidence",
                created_at=datetime.now(UTC) - timedelta(days=days, minutes=1),
            )
            for days in range(5)
        ]
        for row in rows[:-1]:
            base.records().write(row)
        Spool(base.location.state_dir / "spool.jsonl").append(rows[-1])
    return root


def left(kb: Path) -> list[str | None]:
    with KnowledgeBase.open(kb) as base:
        return [row.query for row in base.records().list()]


def prune(kb: Path, capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> Any:
    assert main(["traces", "prune", *words, "--json", "--kb", str(kb)]) == code
    return json.loads(capsys.readouterr().out)


def test_a_dry_run_says_what_would_go(kb: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = prune(kb, capsys, "--older-than", "2d", "--dry-run")
    assert answer == {"matched": 3, "deleted": 0, "left": 5, "dry_run": True}
    assert main(["traces", "prune", "--keep", "4", "--dry-run", "--kb", str(kb)]) == 0
    assert capsys.readouterr().out == "1 record would be deleted, 4 left.\n"
    assert left(kb) == ["0", "1", "2", "3", "4"]


def test_the_largest_number_to_keep_keeps_all(kb: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert prune(kb, capsys, "--keep", str(2**63 - 1), "--yes")["left"] == 5


def test_what_is_old_goes_also_from_the_spool(kb: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = prune(kb, capsys, "--older-than", "72h", "--yes")
    assert answer == {"matched": 2, "deleted": 2, "left": 3, "dry_run": False}
    assert left(kb) == ["0", "1", "2"]


def test_without_yes_and_without_a_terminal_nothing_goes(
    kb: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    error = prune(kb, capsys, "--keep", "1", code=2)["error"]
    assert "4 records would be deleted" in error["message"]
    assert "--yes" in error["next_action"]
    assert len(left(kb)) == 5


def test_without_a_limit_nothing_goes(kb: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "Nothing says" in prune(kb, capsys, "--yes", code=2)["error"]["message"]
    assert len(left(kb)) == 5


@pytest.mark.parametrize(("typed", "kept"), [("y", 1), ("n", 5)])
def test_on_a_terminal_it_asks(kb: Path, typed: str, kept: int) -> None:
    ours, theirs = pty.openpty()
    words = ["-m", "retrieval.cli", "traces", "prune", "--keep", "1", "--kb", str(kb)]
    with subprocess.Popen(
        [sys.executable, *words], stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        os.write(ours, f"{typed}\n".encode())
        _, err = process.communicate(timeout=50)
    os.close(ours)
    os.close(theirs)
    assert b"Delete 4 records for good?" in err
    assert len(left(kb)) == kept


@pytest.mark.parametrize(
    ("text", "age"),
    [("12h", timedelta(hours=12)), (" 30 D ", timedelta(days=30)), ("8w", timedelta(weeks=8))],
)
def test_ages(text: str, age: timedelta) -> None:
    assert parse_age(text) == age


@pytest.mark.parametrize("text", ["", "30", "d", "-1d", "1.5d", "30m", "999999w"])
def test_what_is_no_age_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="is no age"):
        parse_age(text)
