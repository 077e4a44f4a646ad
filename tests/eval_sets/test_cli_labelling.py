"""The labelling commands as a user types them."""

import json
from pathlib import Path
from typing import Any

import click
import pytest

from eval_sets.cli.traces import export
from retrieval.cli import main
from tests.notes import NOTES, write_notes

REFUND, WIFI = "billing/refund.md", "network/wifi.md"


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    write_notes(tmp_path / "docs")
    (tmp_path / "knowledge.toml").write_text(
        'root = "docs"\n[embedding]\nmodel = "hash:256"\n', encoding="utf-8"
    )
    return tmp_path


def _json(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> Any:
    assert main([*map(str, arguments), "--json"]) == code
    return json.loads(capsys.readouterr().out)


def _words(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().out.split())


@pytest.fixture
def mine(kb: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    folder = Path(_json(capsys, "eval", "create", "mine", "--kb", kb)["folder"])
    for query, source in (("money back", REFUND), ("guest network", WIFI)):
        words = ["eval", "judge", "mine", query, source, "--grade", "relevant", "--kb", kb]
        done = _json(capsys, *words, "--by", "ada")
        assert done["case"]["relevant"] == {source: 2}
        assert done["case"]["judged_by"] == "ada"
    return folder


def test_a_set_made_here_is_listed_and_run_by_its_name(
    kb: Path, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sets = {row["name"]: row for row in _json(capsys, "eval", "list", "--kb", kb)["sets"]}
    assert (sets["mine"]["queries"], sets["mine"]["notes"]) == (2, len(NOTES))
    assert sets["starter"]["bundled"]
    words = ["eval", "run", "mine", "--kb", kb, "--variants", "l0", "--no-faults"]
    report = _json(capsys, *words, "--resamples", "100")
    assert report["report"]["set_name"] == "mine"
    assert main(["eval", "list", "--kb", str(kb)]) == 0
    assert str(mine) in "".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["guest network", REFUND, "--grade", "not"], f"{REFUND} = 0"),
        (["guest network", REFUND, "--exclude"], f"{REFUND} left out"),
        (["guest network", WIFI, "--remove"], "removed"),
        (["moon bases", "--no-answer"], "no answer expected"),
    ],
)
def test_judgements_are_told(
    kb: Path, mine: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    assert main(["eval", "judge", str(mine), *words]) == 0
    assert told in _words(capsys)


@pytest.mark.parametrize(
    "words",
    [
        ["q", REFUND],
        ["q", "--grade", "relevant"],
        ["q", REFUND, "--no-answer"],
        ["q", REFUND, "--grade", "1", "--remove"],
        ["q", REFUND, "--grade", "high"],
        ["q", REFUND, "--grade", "99"],
    ],
)
def test_half_judgements_are_refused(
    kb: Path, mine: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    before = (mine / "cases.jsonl").read_bytes()
    assert "error" in _json(capsys, "eval", "judge", mine, *words, code=2)
    assert (mine / "cases.jsonl").read_bytes() == before


def test_a_preview_tells_what_would_change(
    kb: Path, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["eval", "preview", "mine", "travel/shuttle.md", "--kb", kb]
    found = _json(capsys, *words, "--add-keyword", "guest network")
    (effect,) = [e for e in found["effects"] if e["query"] == "guest network"]
    assert (effect["match"], effect["filter_changed"]) == ("gained", True)
    assert main([*map(str, words), "--delete"]) == 0
    assert "labelled queries" in _words(capsys)
    edited = kb / "edited.md"
    edited.write_text(NOTES["travel/shuttle.md"], encoding="utf-8")
    assert _json(capsys, *words, "--file", edited)["effects"] == []
    assert "error" in _json(capsys, *words, code=2)
    assert "error" in _json(capsys, *words, "--file", kb / "none.md", code=2)


def test_a_preview_asks_recorded_queries_too(
    kb: Path, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for query in ("bus stop", "Bus-stop", "money back"):
        _json(capsys, "query", query, "--kb", kb)
    words = ["eval", "preview", "mine", "travel/shuttle.md", "--kb", kb, "--logged", "9"]
    found = _json(capsys, *words, "--add-keyword", "bus stop")
    assert found["asked"] == 3
    (effect,) = [e for e in found["effects"] if e["match"] == "gained"]
    assert effect["change"] is None


def test_renames_are_written_only_on_demand(
    kb: Path, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (kb / "docs" / REFUND).rename(kb / "docs" / "money.md")
    assert main(["eval", "relabel", "mine", "--kb", str(kb)]) == 0
    assert f"{REFUND} → money.md same text, 1 case Nothing was written" in _words(capsys)
    found = _json(capsys, "eval", "relabel", mine, "--apply")
    assert (found["applied"], found["cases_changed"]) == ({REFUND: "money.md"}, 1)
    assert _json(capsys, "eval", "relabel", mine)["renames"] == []
    assert "error" in _json(capsys, "eval", "relabel", mine, "--rename", "x", code=2)


def test_a_queue_names_two_variants(
    kb: Path, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = _json(capsys, "eval", "queue", mine, "--variants", "l0,l1", "--limit", "2")
    assert found["variants"] == ["l0", "l1"]
    assert len(found["items"]) == 2
    assert found["items"][0]["swing"] >= found["items"][1]["swing"]
    assert "error" in _json(capsys, "eval", "queue", mine, "--variants", "l0", code=2)


@pytest.mark.parametrize("option", ["--by", "--note", "--stratum", "--origin", "--case"])
def test_a_judgement_that_is_not_utf8_names_its_argument(
    kb: Path, mine: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    before = (mine / "cases.jsonl").read_bytes()
    words = ["eval", "judge", "mine", "money back", REFUND, "--grade", "not", "--kb", kb]
    error = _json(capsys, *words, option, "\udcff", code=2)["error"]
    assert f"'{option}': it is not UTF-8" in error["message"]
    words[3] = "money \udcff"
    assert "'QUERY': it is not UTF-8" in _json(capsys, *words, code=2)["error"]["message"]
    assert (mine / "cases.jsonl").read_bytes() == before


def test_a_line_that_cannot_be_read_leaves_the_other_sets_usable(
    kb: Path, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = Path(_json(capsys, "eval", "create", "bad", "--kb", kb)["folder"])
    deep = "[" * 100_000
    lines = [deep, '{"id": ' + "[" * 700 + "]" * 700 + "}", '{"id": ' + "9" * 5_000 + "}"]
    (bad / "cases.jsonl").write_text("\n".join(lines) + "\n")
    nested = kb / "sets" / "nested"
    nested.mkdir()
    (nested / "set.yaml").write_text("name: " + "[" * 5_000)
    words = ["eval", "judge", "mine", "lost badge", REFUND, "--grade", "not", "--kb", kb]
    assert _json(capsys, *words)["case"]["relevant"] == {REFUND: 0}
    assert Path(_json(capsys, "eval", "create", "other", "--kb", kb)["folder"]).is_dir()
    words[2] = "bad"
    assert _json(capsys, *words)["before"] is None  # what cannot be read stays as it is
    assert (bad / "cases.jsonl").read_text().splitlines()[:3] == lines
    problems = _json(capsys, "eval", "run", "bad", "--kb", kb, code=2)["error"]["message"]
    assert "cases.jsonl:1: it nests too deeply" in problems
    assert "cases.jsonl:2" in problems
    assert "cases.jsonl:3" in problems


def test_recorded_queries_are_exported_as_candidates(
    kb: Path, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for query in ("bus stop", "Bus-stop", "money back"):
        _json(capsys, "query", query, "--kb", kb)
    target = kb / "candidates.jsonl"
    words = ["traces", "export", str(target), "--set", "mine", "--kb", str(kb)]
    assert main(words) == 0
    assert "1 queries of 3 calls" in _words(capsys)
    (line,) = target.read_text(encoding="utf-8").splitlines()
    candidate = json.loads(line)
    assert (candidate["times"], len(candidate["invocations"])) == (2, 2)
    assert "relevant" not in candidate
    assert main(["traces", "export", "--kb", str(kb)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    later = _json(capsys, "traces", "export", "--kb", kb, "--since", "2999-01-01")
    assert later == {"calls": 0, "candidates": [], "file": None}


def test_the_help_of_export_has_an_example() -> None:
    text = export.get_help(click.Context(export, info_name="export"))
    assert "lookup-knowledge traces export" in text.partition("Example")[2]


def test_suggest_tries_the_edits_that_lint_asks_for(
    kb: Path, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    note = kb / "docs" / "office" / "hall.md"
    note.parent.mkdir()
    note.write_text("# Meeting rooms\n\nBooked at the desk.\n", encoding="utf-8")
    words = ["eval", "judge", "mine", "conference hall", "office/hall.md", "--grade", "relevant"]
    _json(capsys, *words, "--kb", kb)
    asked = ["eval", "suggest", "mine", "--rule", "missing_keywords", "--kb", kb]
    found = _json(capsys, *asked, "--source", "office/hall.md")
    (one,) = found["suggestions"]
    assert (one["rule"], one["source"], one["remove"]) == ("missing_keywords", "office/hall.md", [])
    assert one["add"] == ["conference hall"]
    assert [query["query"] for query in one["gained"]] == ["conference hall"]
    assert "Booked at the desk" in note.read_text(encoding="utf-8")
    assert main([*map(str, asked)]) == 0
    assert "add 'conference hall': helps 1 and breaks 0" in _words(capsys)
    assert main([*map(str, asked), "--source", "no/such.md"]) == 2
    assert main(["eval", "suggest", "mine", "--rule", "wow", "--kb", str(kb)]) == 2
