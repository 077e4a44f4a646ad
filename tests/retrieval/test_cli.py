"""The command line on a small real knowledge base: answers, JSON, exit codes, help."""

import json
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import click
import pytest

from eval_sets.sets import starter
from retrieval.cli import cli, main
from retrieval.cli import group as group_module
from retrieval.cli.common import emit, progress_bar
from retrieval.cli.notes import parse_lines
from retrieval.cli.query import parse_filters
from retrieval.errors import IndexDamaged, InvalidInput
from retrieval.records import ToolInvocation
from retrieval.records.spool import Spool
from retrieval.semantic.locking import writer_lock

NOTES = {
    "billing/refund-window.md": (
        "---\ntitle: Refund window\nkeywords: [refund window]\ncategory: Billing\nlang: en\n---\n"
        "# Refund window\n\nRefunds are paid within 30 days of purchase.\n"
    ),
    "billing/invoices.md": (
        "---\ntitle: Invoices\nkeywords: [invoice number]\ncategory: Billing\nlang: de\n---\n"
        "# Invoices\n\nEvery invoice has a number and a due date.\n"
    ),
    "network/vpn.md": (
        "---\ntitle: VPN\nkeywords: [split tunnel]\ncategory: Network\nlang: en\n---\n"
        "# VPN\n\nA split tunnel sends only office traffic through the VPN.\n"
    ),
}


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    root = tmp_path / "handbook"
    for source, text in NOTES.items():
        (root / source).parent.mkdir(parents=True, exist_ok=True)
        (root / source).write_text(text, encoding="utf-8")
    (root / "knowledge.toml").write_text('[embedding]\nmodel = "hash:64"\n', encoding="utf-8")
    return root


class Terminal:
    """Runs command lines in this process, on one knowledge base."""

    def __init__(self, kb: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._kb = str(kb)
        self._capsys = capsys

    def run(self, *words: str, code: int = 0) -> str:
        """What stands on stdout; the exit code is checked, and stderr is empty unless it failed."""
        found = main([*words, "--kb", self._kb])
        out, err = self._capsys.readouterr()
        assert (found, err if code == 0 else "") == (code, ""), out + err
        return out or err

    def json(self, *words: str, code: int = 0) -> Any:
        """The one JSON document on stdout."""
        found = main([*words, "--kb", self._kb, "--json"])
        out, err = self._capsys.readouterr()
        assert (found, err) == (code, ""), out + err
        return json.loads(out, parse_constant=pytest.fail)


@pytest.fixture
def terminal(kb: Path, capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(kb, capsys)


def test_the_first_query_builds_the_index_and_answers(terminal: Terminal, kb: Path) -> None:
    answer = terminal.json("query", "What is the refund window?")
    assert answer["outcome"] == "evidence"
    assert answer["retrieval_layer"] == "L0+L1"
    assert answer["primary"]["source"] == "billing/refund-window.md"
    assert answer["l1"]["status"] == "ok"
    assert answer["warnings"] == []
    assert (kb / ".lookup-knowledge" / "index").is_dir()


def test_words_need_no_quotes(terminal: Terminal) -> None:
    assert terminal.json("query", "split", "tunnel", "--no-index")["query"] == "split tunnel"


def test_no_index_answers_from_l0_and_builds_nothing(terminal: Terminal, kb: Path) -> None:
    answer = terminal.json("query", "refund window", "--no-index")
    assert answer["outcome"] == "fallback"
    assert answer["l1"]["status"] == "not_ready"
    assert answer["retrieval_layer"] == "L0"
    assert not (kb / ".lookup-knowledge" / "index").exists()


def test_a_query_while_another_process_builds_answers_from_l0(terminal: Terminal, kb: Path) -> None:
    with writer_lock(kb / ".lookup-knowledge"):
        answer = terminal.json("query", "refund window")
        error = terminal.json("index", code=1)["error"]
    assert answer["l1"]["status"] == "not_ready"
    assert [warning["code"] for warning in answer["warnings"]] == ["index_missing", "index_locked"]
    assert error["code"] == "index_locked"


@pytest.mark.parametrize(
    ("fault", "status", "outcome"),
    [
        ("l1-raises", "failed", "fallback"),
        ("l1-empty", "empty", "fallback"),
        ("l1-timeout", "timeout", "fallback"),
        ("l1-off", "disabled", "evidence"),
    ],
)
def test_faults_leave_an_answer_and_a_record(
    terminal: Terminal, fault: str, status: str, outcome: str
) -> None:
    answer = terminal.json("query", "refund window", "--fault", fault)
    assert (answer["l1"]["status"], answer["outcome"]) == (status, outcome)
    assert answer["primary"]["source"] == "billing/refund-window.md"
    assert answer["relevance"]["semantic_support"] is False
    trace = terminal.json("traces", "show", answer["invocation_id"])
    assert trace["retrieval_layer"] == "L0"
    assert trace["retrieval_details"]["l0_hints"]["keywords"] == ["refund window"]


def test_options_reach_the_lookup(terminal: Terminal) -> None:
    answer = terminal.json(
        *("query", "refund window or split tunnel", "--mode", "l0+l1", "--filter-mode", "off"),
        *("--l1-mode", "dense", "--top-k", "1", "--min-score", "0.01", "--budget", "2000"),
        *("--category", "network", "--where", "lang=en,fr"),
    )
    assert [block["source"] for block in answer["evidence_blocks"]] == ["network/vpn.md"]
    assert answer["l1"]["mode"] == "dense"
    assert answer["filter"]["mode"] == "off"
    trace = terminal.json("traces", "show", answer["invocation_id"])
    assert trace["caller"] == "cli"
    assert trace["arguments"] == {
        "mode": "l0+l1",
        "filter_mode": "off",
        "l1_mode": "dense",
        "top_k": 1,
        "min_score": 0.01,
        "budget": 2000,
        "filters": {"category": {"eq": "network"}, "lang": {"in": ["en", "fr"]}},
    }


def test_no_record_leaves_no_trace(terminal: Terminal) -> None:
    assert terminal.json("query", "vpn", "--no-record")["invocation_id"] is None
    assert terminal.json("traces", "list") == {"traces": []}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("query", " "), "The query is blank"),
        (("query", "?!"), "The query is blank"),
        (("query", "vpn", "--top-k", "0"), "top_k is 0"),
        (("query", "vpn", "--top-k", "five"), "'five' is not a valid"),
        (("query", "vpn", "--mode", "l2"), "'l2' is not one of"),
        (("query", "vpn", "--where", "lang"), "condition 'lang' cannot be read"),
        (("query", "vpn", "--where", "nosuch=x"), "filter field 'nosuch'"),
        (("query",), "Missing argument"),
        (("query", "vpn", "--nosuch"), "No such option"),
        (("get", "../knowledge.toml"), "../knowledge.toml"),
        (("get", "network/vpn.md", "--lines", "5:2"), "'5:2' names no lines"),
        (("traces", "show", "ffff"), "begins with 'ffff'"),
        (("traces", "list", "--limit", "9223372036854775808"), "'--limit'"),
        (("traces", "replay", "--limit", "99999999999999999999"), "'--limit'"),
        (("traces", "prune", "--keep", "99999999999999999999", "--dry-run"), "'--keep'"),
        (("traces", "list", "--since", "0001-01-01T00:00:00+14:00"), "is no time for --since"),
        (("traces", "replay", "--until", "soon"), "'soon' is no time for --until"),
        (("traces", "list", "--text", "\udcff"), "'--text': it is not UTF-8"),
        (("traces", "show", "\udcff"), "'ID': it is not UTF-8"),
        (("traces", "replay", "\udcff"), "it is not UTF-8"),
    ],
)
def test_wrong_input_is_exit_code_2_in_words_and_in_json(
    terminal: Terminal, words: tuple[str, ...], said: str
) -> None:
    assert said in " ".join(terminal.run(*words, code=2).split())
    error = terminal.json(*words, code=2)["error"]
    assert said in error["message"]
    assert set(error) == {"code", "message", "next_action"}
    assert error["next_action"]


def test_an_unknown_setting_and_a_missing_folder_are_named(terminal: Terminal, kb: Path) -> None:
    (kb / "knowledge.toml").write_text("[lookup]\ntopk = 3\n", encoding="utf-8")
    assert "'lookup.topk'" in terminal.json("query", "vpn", code=2)["error"]["message"]
    for source in (*NOTES, "knowledge.toml"):
        (kb / source).unlink()
    (kb / "billing").rmdir()
    (kb / "network").rmdir()
    kb.rmdir()
    error = terminal.json("index", code=2)["error"]
    assert error["code"] == "knowledge_error"
    assert str(kb) in error["message"]


def test_the_explained_answer_fits_80_columns(terminal: Terminal) -> None:
    lines = terminal.run("query", "What is the refund window?", "--explain").splitlines()
    assert lines[0].startswith("evidence · L0+L1 · ")
    assert "    keyword 'refund window' at characters 12-25 of the query" in lines
    assert "Filter (auto): category 'Billing', from L0" in lines
    assert any(line.startswith("L1: ok (hybrid), ") for line in lines)
    assert any(line.startswith("Recorded as: ") for line in lines)
    assert max(map(len, lines)) <= 80


def test_index_counts_what_changed(terminal: Terminal, kb: Path) -> None:
    first = terminal.json("index")
    assert (first["added"], first["embedded"], first["failed"]) == (3, first["passages"], 0)
    again = terminal.json("index")
    assert (again["unchanged"], again["embedded"]) == (3, 0)
    (kb / "billing" / "invoices.md").unlink()
    (kb / "bad.md").write_bytes(b"caf\xe9\n")
    changed = terminal.json("index")
    assert (changed["deleted"], changed["failed"]) == (1, 1)
    assert [issue["source"] for issue in changed["issues"] if issue["severity"] == "error"] == [
        "bad.md"
    ]
    assert {"added", "updated", "deleted", "unchanged", "failed", "passages", "embedded"} < set(
        changed
    )
    text = terminal.run("index", "--full")
    assert text.startswith("2 notes, ")
    assert "error: bad.md:1: " in text


def test_index_says_that_its_warnings_are_those_of_the_load(terminal: Terminal, kb: Path) -> None:
    (kb / "a.md").write_text("---\ncategory: B\n---\nText without a title.\n", encoding="utf-8")
    (kb / "odd.md").write_text("---\ncategory: B\n---\nText.\n", encoding="utf-8")
    text = terminal.run("index")
    assert "2 load warnings; these, and what else to correct: lookup-knowledge lint" in text
    found = terminal.run("lint")
    for name in ("a.md", "odd.md"):
        assert found.splitlines().count(name) == 1
    assert found.index("missing_title") < found.index("missing_keywords") < found.index("odd.md")


def test_an_answer_from_the_bundled_notes_says_so_unless_they_were_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = "From the bundled notes; for others: --kb FOLDER\n"
    words = ["query", "seat true-up", "--mode", "l0", "--no-record", "--top-k", "1"]
    monkeypatch.chdir(tmp_path)
    for more, told in ([], said), (["--json"], ""), (["--kb", str(starter())], ""):
        assert main([*words, *more]) == 0
        out, err = capsys.readouterr()
        assert ("billing/seat-true-up.md" in out, err) == (True, told)
    assert main(["--log", "json", *words]) == 0
    assert capsys.readouterr().err == ""


def test_lint_is_a_gate_for_files_that_are_no_notes(terminal: Terminal, kb: Path) -> None:
    assert terminal.json("lint")["errors"] == 0
    (kb / "bad.md").write_bytes(b"caf\xe9\n")
    found = terminal.json("lint", code=3)
    assert (found["notes"], found["errors"]) == (3, 1)
    assert [i["source"] for i in found["findings"] if i["severity"] == "error"] == ["bad.md"]
    assert main(["lint", "--kb", str(kb)]) == 3
    assert main(["lint", "--kb", str(kb), "--fail-on", "never"]) == 0


def test_lint_fails_from_the_severity_that_is_asked_for(terminal: Terminal, kb: Path) -> None:
    assert terminal.json("lint")["findings"] == []
    (kb / "plain.md").write_text("# Plain\n\nNo keywords here.\n", encoding="utf-8")
    found = terminal.json("lint", "--fail-on", "warning", code=3)
    assert (found["errors"], found["warnings"]) == (0, 2)
    assert terminal.json("lint", "--fail-on", "warning", "--rule", "near_duplicate") == {
        "notes": 4,
        "errors": 0,
        "warnings": 0,
        "infos": 0,
        "findings": [],
    }
    (kb / "knowledge.toml").write_text('[lint]\nignore = ["missing_keywords"]\n')
    assert [f["rule"] for f in terminal.json("lint")["findings"]] == ["missing_category"]
    (kb / "knowledge.toml").write_text('[lint]\nignore = ["keywords_missing"]\n')
    assert terminal.json("lint", code=2)["error"]["code"] == "settings_error"


def test_lint_with_traces_names_notes_that_nothing_returned(terminal: Terminal) -> None:
    terminal.json("query", "split tunnel", "--mode", "l0")
    found = terminal.json("lint", "--traces")["findings"]
    unused = [f["source"] for f in found if f["rule"] == "unused_note"]
    assert unused == ["billing/invoices.md", "billing/refund-window.md"]


def test_why_follows_a_note_and_records_nothing(terminal: Terminal) -> None:
    words = ("query", "split tunnel", "--mode", "l0", "--why", r".\billing\invoices.md")
    answer = terminal.json(*words)
    assert (answer["primary"]["source"], answer["invocation_id"]) == ("network/vpn.md", None)
    assert (answer["why"]["source"], answer["why"]["lost_at"]) == ("billing/invoices.md", "l0")
    assert answer["why"]["remedies"][0]["change"] == {"mode": "l0+l1"}
    text = terminal.run(*words)
    assert text.startswith("billing/invoices.md is not in the answer: it is no keyword match")
    assert max(map(len, text.splitlines())) <= 80
    assert terminal.json("traces", "list")["traces"] == []
    error = terminal.json("query", "tunnel", "--why", "network/vpm.md", code=2)["error"]
    assert (error["code"], "network/vpn.md" in error["next_action"]) == ("unknown_source", True)


def test_traces_replay_says_what_changed(terminal: Terminal, kb: Path) -> None:
    first = terminal.json("query", "split tunnel", "--mode", "l0")["invocation_id"]
    terminal.json("query", "invoice number", "--mode", "l0")
    (kb / "network/vpn.md").rename(kb / "network/tunnel.md")
    done = terminal.json("traces", "replay", "--since", "1h")
    assert done["counts"]["same"] == 1
    assert done["counts"]["changed"] == 1
    (call,) = terminal.json("traces", "replay", first[:8])["calls"]
    assert call["moved"] == [{"source": "network/vpn.md", "now": "network/tunnel.md"}]
    text = terminal.run("traces", "replay")
    assert "moved: network/vpn.md, now network/tunnel.md" in text
    assert "2 replayed: 1 same, 1 changed" in text
    assert max(map(len, text.splitlines())) <= 80
    assert len(terminal.json("traces", "list", "--since", "1d")["traces"]) == 2
    assert terminal.json("traces", "list", "--until", "2020-01-01")["traces"] == []
    assert terminal.json("traces", "list", "--since", "soon", code=2)["error"]["code"] == (
        "invalid_input"
    )
    assert terminal.json("traces", "replay", first, "--since", "1d", code=2)["error"]["code"] == (
        "invalid_input"
    )


def test_lint_reads_the_files_as_they_are_now(terminal: Terminal, kb: Path) -> None:
    terminal.json("index")
    before = terminal.json("lint")["warnings"]
    (kb / "plain.md").write_text("no title, no keywords\n", encoding="utf-8")
    assert terminal.json("lint")["warnings"] > before
    assert "plain.md" in terminal.run("lint")


def test_get_prints_a_note_or_some_lines(terminal: Terminal) -> None:
    source = "network/vpn.md"
    assert terminal.run("get", source) == NOTES[source]
    assert terminal.run("get", source, "--lines", "2:3") == "title: VPN\nkeywords: [split tunnel]\n"
    assert terminal.json("get", source, "--lines", "2:3") == {
        "source": source,
        "line_start": 2,
        "line_end": 3,
        "content": "title: VPN\nkeywords: [split tunnel]",
    }


def test_get_prints_nothing_that_a_terminal_obeys(terminal: Terminal, kb: Path) -> None:
    (kb / "x.md").write_text("a\x1b[31mb\x9bc\n", encoding="utf-8")
    assert terminal.run("get", "x.md") == "a[31mbc\n"


def test_traces_list_filters_and_show_finds_by_prefix(terminal: Terminal) -> None:
    first = terminal.json("query", "refund window")["invocation_id"]
    second = terminal.json("query", "split tunnel", "--fault", "l1-empty")["invocation_id"]
    assert [row["id"] for row in terminal.json("traces", "list")["traces"]] == [second, first]

    def ids(*words: str) -> list[str]:
        return [row["id"] for row in terminal.json("traces", "list", *words)["traces"]]

    assert ids("--outcome", "fallback") == [second]
    assert ids("--layer", "L0+L1") == [first]
    assert ids("--layer", "none") == []
    assert ids("--text", "REFUND") == [first]
    assert ids("--limit", "1") == [second]
    assert ids("--limit", str(2**63 - 1), "--since", "0001-01-01") == [second, first]
    assert terminal.json("traces", "show", first[:8])["query"] == "refund window"
    assert "refund window" in terminal.run("traces", "list")
    assert "evidence_blocks" in terminal.run("traces", "show", first[:8])


def test_what_waits_in_the_spool_is_listed_once_the_database_takes_it(
    terminal: Terminal, kb: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = terminal.json("query", "vpn", "--mode", "l0")["invocation_id"]
    state = kb / ".lookup-knowledge"
    waiting = ToolInvocation(tool_name="t", caller="c", query="waiting", outcome="evidence")
    Spool(state / "spool.jsonl").append(waiting)
    with closing(sqlite3.connect(state / "records.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert main(["traces", "list", "--kb", str(kb), "--json"]) == 0
        out, err = capsys.readouterr()
    assert [row["id"] for row in json.loads(out)["traces"]] == [stored]
    assert "Warning: The records at" in err
    assert [row["id"] for row in terminal.json("traces", "list")["traces"]] == [waiting.id, stored]


def test_json_holds_nothing_that_a_terminal_obeys(capsys: pytest.CaptureFixture[str]) -> None:
    text = "\x1b \x9b31m \x7f \u2028 \u202e \ud83d 退款 🧾"
    emit({"text": text})
    out = capsys.readouterr().out
    assert "\\u001b \\u009b31m \\u007f \\u2028 \\u202e \\ud83d 退款 🧾" in out
    assert json.loads(out) == {"text": text}


def test_a_query_that_is_no_utf8_is_answered(kb: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "retrieval.cli", "query", b"refund window \xff", "--json"],
        cwd=kb,
        capture_output=True,
        check=True,
        env={"PATH": "", "PYTHONIOENCODING": "ascii", "XDG_DATA_HOME": str(kb)},
    )
    assert json.loads(done.stdout.decode("utf-8"))["query"] == "refund window \ufffd"
    assert done.stderr == b""


@pytest.mark.parametrize(
    ("category", "conditions", "filters"),
    [
        (None, (), {}),
        ("a, b", (), {"category": {"eq": "a, b"}}),
        (None, ("lang=de",), {"lang": {"eq": "de"}}),
        (None, ("lang = de , en",), {"lang": {"in": ["de", "en"]}}),
        (None, ("lang!=de",), {"lang": {"ne": "de"}}),
        (None, ("lang!=de,en", "lang=fr"), {"lang": {"nin": ["de", "en"], "eq": "fr"}}),
        (None, ("url=a=b!=c",), {"url": {"eq": "a=b!=c"}}),
        (None, ("not-before=x",), {"not-before": {"eq": "x"}}),
    ],
)
def test_conditions(category: str | None, conditions: tuple[str, ...], filters: object) -> None:
    assert parse_filters(category, conditions) == filters


@pytest.mark.parametrize("condition", ["lang", "=de", "lang=", "lang=,", "!=x", ""])
def test_a_condition_that_cannot_be_read_is_refused(condition: str) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        parse_filters(None, [condition])


def test_a_field_stated_twice_is_refused() -> None:
    with pytest.raises(InvalidInput, match="'lang' is stated twice"):
        parse_filters(None, ["lang=de", "lang=en"])
    with pytest.raises(InvalidInput, match="'category' is stated twice"):
        parse_filters("a", ["category=b"])


@pytest.mark.parametrize(
    ("lines", "span"),
    [("3:5", (3, 5)), ("3", (3, 3)), (":5", (1, 5)), ("3:", (3, 2**31 - 1)), (" 2 : 2 ", (2, 2))],
)
def test_lines(lines: str, span: tuple[int, int]) -> None:
    assert parse_lines(lines) == span


@pytest.mark.parametrize("lines", ["", ":", "0:3", "5:2", "a:b", "-1:2", "1:2:3"])
def test_lines_that_name_none_are_refused(lines: str) -> None:
    with pytest.raises(InvalidInput, match="names no lines"):
        parse_lines(lines)


def commands(command: click.Command, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The path of every built-in command and group below `command`."""
    found = [path]
    if isinstance(command, click.Group):
        for name, child in command.commands.items():
            found += commands(child, (*path, name))
    return found


@pytest.mark.parametrize("path", commands(cli), ids=" ".join)
def test_every_command_has_help_with_an_example(
    path: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*path, "--help"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"Examples?:\s+lookup-knowledge " + " ".join(path), out)
    assert max(map(len, out.splitlines())) <= 80


def test_commands_of_other_packages_are_listed_without_being_imported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    points = [
        EntryPoint("shout", "no_such_package.cli:shout", group_module.GROUP),
        EntryPoint("sum", "json:dumps", group_module.GROUP),
        EntryPoint("index", "no_such_package.cli:index", group_module.GROUP),
        EntryPoint("again", "retrieval.cli.notes:lint", group_module.GROUP),
    ]
    monkeypatch.setattr(group_module, "entry_points", lambda group: points)
    assert main(["--help"]) == 0
    assert "shout   See: lookup-knowledge shout --help" in capsys.readouterr().out
    assert main(["shout"]) == 1
    assert "'shout' cannot be loaded" in capsys.readouterr().err
    assert main(["sum", "--json"]) == 1
    assert "no click command" in json.loads(capsys.readouterr().out)["error"]["message"]
    assert main(["again", "--help"]) == 0
    assert main(["index", "--help"]) == 0  # a built-in command cannot be replaced


def test_an_unknown_command_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nosuch", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"] == {
        "code": "usage",
        "message": "No such command 'nosuch'.",
        "next_action": "See: lookup-knowledge --help",
    }


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("lookup-knowledge, version ")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (KeyboardInterrupt(), "interrupted"),
        (PermissionError(13, "Permission denied"), "system"),
        (click.ClickException("It broke."), "failed"),
        (IndexDamaged("It rots.", next_action="Build it anew."), "index_damaged"),
    ],
)
def test_a_failure_is_exit_code_1_and_says_what_failed(
    error: BaseException,
    code: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    @click.command()
    @click.option("--json", "as_json", is_flag=True)
    def fail(as_json: bool) -> None:
        raise error

    monkeypatch.setitem(cli.commands, "fail", fail)
    assert main(["fail"]) == 1
    out, err = capsys.readouterr()
    assert (out, err.splitlines()[-1][:6]) == ("", "Error:")
    assert main(["fail", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] == code


def test_a_reader_that_has_enough_causes_no_traceback() -> None:
    program = subprocess.Popen(
        [sys.executable, "-m", "retrieval.cli", "--help"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert program.stdout is not None
    program.stdout.close()
    assert program.stderr is not None
    with program.stderr:
        assert program.stderr.read() == b""
    assert program.wait(timeout=30) == 1


def test_progress_is_shown_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with progress_bar() as show:
        assert show is None
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress_bar() as show:
        assert show is not None
        show("load", 1, 2)
        show("embed", 3, 9)
    out, err = capsys.readouterr()
    assert out == ""
    assert "Reading notes" in err
    assert "3/9" in err
