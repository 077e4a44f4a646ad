"""Every command over hostile notes: what they hold is printed, and no terminal obeys it."""

import json
import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from eval_sets.labelling import create_set, grade_scale, judge
from retrieval import KnowledgeBase
from retrieval.cli.program import main
from tests.security.hostile import ALL, ESCAPES, NEVER_PRINTED, RICH, SQL, write_hostile_notes

QUERY = f"parking permit {RICH} {SQL} {ESCAPES.replace(chr(0), '')}"
NOTE = "lines.md"
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    write_hostile_notes(folder / "notes")
    config = 'root = "notes"\nsets_dir = "sets"\n[embedding]\nmodel = "hash:64"\n'
    (folder / "knowledge.toml").write_text(config, encoding="utf-8")
    with KnowledgeBase.open(folder) as base:
        report = base.reindex()
        assert (report.added, report.failed) == (5, 1)
        own = create_set("own", base)
        for source in [entry.source for entry in base.entries][:2]:
            judge(own, QUERY, source, grade_scale(own)["relevant"], judged_by=RICH + ESCAPES)
    return folder


COMMANDS = {
    "query": ["query", QUERY],
    "explain": ["query", QUERY, "--explain"],
    "fallback": ["query", QUERY, "--explain", "--fault", "l1-raises"],
    "why": ["query", QUERY, "--why", NOTE],
    "why-unread": ["query", QUERY, "--why", "broken\x1b]0;x\x07.md"],
    "why-unknown": ["query", QUERY, "--why", f"no{RICH}{QUERY}"],
    "category": ["query", QUERY, "--category", QUERY],
    "where": ["query", QUERY, "--where", f"{RICH}\x1b]0;x\x07={QUERY}"],
    "where-unreadable": ["query", QUERY, "--where", f"{RICH}\x1b]0;x\x07"],
    "get": ["get", NOTE],
    "get-escapes": ["get", "esc\x1b]0;x\x07ape.md"],
    "get-unknown": ["get", f"{RICH}\x1b]0;x\x07.md"],
    "lint": ["lint", "--traces"],
    "index": ["index", "--full"],
    "traces": ["traces", "list"],
    "traces-text": ["traces", "list", "--text", QUERY],
    "traces-unknown": ["traces", "show", f"{RICH}\x1b]0;x\x07"],
    "doctor": ["doctor"],
    "eval-list": ["eval", "list"],
    "eval-judge": ["eval", "judge", "own", QUERY, f"{RICH}\x1b]0;x\x07.md", "--grade", "relevant"],
    "eval-run": ["eval", "run", "SET", "--variants", "l0,l0+l1", "--resamples", "100"],
    "eval-variant": ["eval", "run", "SET", "--variants", f"l0:{RICH}\x1b]0;x\x07=1"],
    "unknown-option": ["query", QUERY, "--\x1b]0;x\x07no"],
    "unknown-command": [f"{RICH}\x1b]0;x\x07"],
}


@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_that_is_printed_is_obeyed(
    kb: Path, name: str, as_json: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(kb / "sets" / "own") if w == "SET" else w for w in COMMANDS[name]]
    if name != "unknown-command":
        words += ["--kb", str(kb)]
    code = main([*words, *(["--json"] if as_json else [])])
    said = capsys.readouterr()
    assert code in (0, 1, 2, 3)
    assert "Traceback" not in said.err
    assert said.out + said.err
    assert not NEVER_PRINTED & set(said.out + said.err)
    if as_json:
        json.loads(said.out)


def test_a_record_is_shown_and_sql_in_it_is_text(
    kb: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["query", QUERY, "--kb", str(kb)]) == 0
    capsys.readouterr()
    with KnowledgeBase.open(kb) as base:
        count = base.records().count()
        newest = base.records().list(1)[0]
    assert newest.query == QUERY
    assert main(["traces", "show", newest.id, "--kb", str(kb)]) == 0
    shown = capsys.readouterr().out
    assert not NEVER_PRINTED & set(shown)
    assert "DROP TABLE" in shown
    for text in (SQL, "%", "_", "\\", '"', ALL):
        assert main(["traces", "list", "--text", text, "--kb", str(kb)]) == 0
    with KnowledgeBase.open(kb) as base:
        assert base.records().count() == count
        assert base.records().list(text=SQL, limit=None)
        assert not base.records().list(text="no%such_text")


@pytest.mark.parametrize("name", ["explain", "get-escapes", "lint", "traces", "eval-list"])
def test_a_real_terminal_gets_colours_and_nothing_else(kb: Path, name: str) -> None:
    """Where output goes to a terminal, click and rich leave in what they else take out."""
    shown = run_on_terminal(["-m", "retrieval.cli", *COMMANDS[name], "--kb", str(kb)])
    rest = COLOUR.sub("", shown).replace("\r\n", "\n")
    assert len(rest) > 10
    assert not NEVER_PRINTED & set(rest)


COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def run_on_terminal(words: list[str]) -> str:
    """What a pseudo-terminal shows of a Python process."""
    reader, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    process = subprocess.Popen(
        [sys.executable, *words],
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=terminal,
        env=environment,
        cwd=ROOT,
    )
    os.close(terminal)
    pieces = []
    # A terminal whose process has ended gives an error and no end of file.
    with suppress(OSError):
        while piece := os.read(reader, 65536):
            pieces.append(piece)
    os.close(reader)
    process.wait()
    return b"".join(pieces).decode("utf-8", "replace")
