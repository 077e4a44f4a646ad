"""The page's keys of other commands against what these print."""

import json
import re
from pathlib import Path

import pytest

from retrieval.cli import main
from tests.notes import write_notes
from tests.pages.markdown import ROOT, tables

TABLE = tables((ROOT / "retrieval/contract/README.md").read_text(encoding="utf-8"))
ROWS = {row[0].strip("`"): row[1:] for row in TABLE["Documents of other commands"]}
LISTS = ("findings", "traces", "calls", "checks")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    write_notes(folder)
    (folder / "loose.md").write_text("No title, no keywords.\n")
    (folder / "knowledge.toml").write_text('[embedding]\nmodel = "hash:64"\n')
    return folder


def test_keys_of_other_commands_are_those_of_the_page(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(command: str, *words: str) -> dict[str, object]:
        main([*command.split(), *words, "--kb", str(folder), "--json"])
        document: dict[str, object] = json.loads(capsys.readouterr().out)
        return document

    found = {"index": run("index")}
    run("query", "vpn tunnel")
    found["traces list"] = run("traces list")
    (trace,) = found["traces list"]["traces"]  # type: ignore[misc]
    found["traces show"] = run("traces show", trace["id"])
    found["get"] = run("get", "network/vpn.md")
    found["traces prune"] = run("traces prune", "--older-than", "30d")
    found |= {name: run(name) for name in ("lint", "traces replay", "doctor")}
    assert found.keys() == ROWS.keys()
    for command, document in found.items():
        keys, of_item = (set(re.findall(r"`(\w+)`", cell)) for cell in ROWS[command])
        if command == "traces show":
            keys = {"retrieval_details", *re.findall(r"`(\w+)`", ROWS["traces list"][1])}
        assert set(document) == keys, command
        items = [item for name in LISTS for item in document.get(name, ())]  # type: ignore[attr-defined]
        assert bool(items) == bool(of_item), command
        assert all(set(item) == of_item for item in items), command
