"""The page of the settings against what settings do."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from retrieval import KnowledgeBase
from retrieval.settings import load_settings
from retrieval.settings.listing import SettingField, list_fields
from tests.notes import write_notes
from tests.pages.markdown import ROOT, tables
from tests.pages.settings import changes_fingerprint, option_of

FIELDS = list_fields()
IDS = [field.path for field in FIELDS]
BASE = {"root": "notes", "state_dir": "state", "embedding": {"model": "hash:64"}}


def test_the_page_has_every_setting_once() -> None:
    found = tables((ROOT / "retrieval/settings/README.md").read_text(encoding="utf-8"))
    rows = [row for heading, rows in found.items() if "Variables" not in heading for row in rows]
    assert [row[0].split("<br>")[0].strip("`") for row in rows] == IDS
    assert all(row[2] for row in rows)


@pytest.mark.parametrize("field", FIELDS, ids=IDS)
def test_the_variable_of_the_page_sets_the_setting(
    field: SettingField, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes").mkdir()
    value = _other(field)
    monkeypatch.setenv(field.variable, json.dumps(value) if field.kind == "list" else str(value))
    monkeypatch.setenv("LOOKUP_CHROMA__COLLECTION", str(_other(_named("chroma.collection"))))
    found: Any = load_settings(tmp_path)[0].model_dump(mode="python")
    for part in field.path.split("."):
        found = found[part]
    shown = found.get_secret_value() if field.secret else found
    assert str(shown) == str(tuple(value) if field.kind == "list" else value)


def test_each_setting_of_a_lookup_that_has_an_option_names_it() -> None:
    options = {field.path: option_of(field) for field in FIELDS}
    assert {path for path, option in options.items() if option} == {
        "lookup.mode",
        "lookup.filter_mode",
        "lookup.l1_mode",
        "lookup.top_k",
        "lookup.min_score",
        "lookup.budget",
        "logs.format",
    }


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder whose notes are indexed with `BASE`, and the digest of these settings."""
    folder = tmp_path_factory.mktemp("settings")
    write_notes(folder / "notes")
    with KnowledgeBase.open(folder, BASE) as base:
        base.reindex()
        return folder, base.lookup("vpn", mode="l0").fingerprint.config


@pytest.mark.parametrize("field", FIELDS, ids=IDS)
def test_what_the_page_says_a_change_changes(
    field: SettingField, indexed: tuple[Path, str]
) -> None:
    folder, before = indexed
    changed = _with(BASE, field.path, _other(field))
    if field.path == "chroma.url":
        changed = _with(changed, "chroma.collection", "notes")
    with KnowledgeBase.open(folder, changed) as other:
        answer = other.lookup("vpn", mode="l0+l1")
    assert (answer.fingerprint.config != before) == changes_fingerprint(field)
    if field.path not in ("root", "state_dir"):  # other notes, and another index
        fits = answer.l1.status != "not_ready"
        assert fits != field.changes_index, answer.warnings


def _named(path: str) -> SettingField:
    return next(field for field in FIELDS if field.path == path)


def _with(settings: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    table, _, name = path.rpartition(".")
    if not table:
        return {**settings, name: value}
    return {**settings, table: {**settings.get(table, {}), name: value}}


def _other(field: SettingField) -> Any:
    """A value that is allowed and is not the default, nor what these tests start from."""
    special: dict[str, Any] = {
        "root": "notes",
        "embedding.model": "hash:32",
        "embedding.window": 64,
        "embedding.scripts": ["latin"],
        "lookup.budget": 900,
        "lookup.min_score": -0.5,
        "lookup.mode": "l1",
        "chroma.url": "http://127.0.0.1:9",
        "records.url": "sqlite:///other.db",
    }
    if field.path in special:
        return special[field.path]
    if field.kind == "choice":
        return next(word for word in field.choices if word != field.default)
    simple: dict[str, Any] = {
        "switch": not field.default,
        "list": ["one", "two"],
        "text": "notes-b",
        "integer": 3,
        "number": 0.25,
        "other": "secret-token",
    }
    return simple[field.kind]


def test_the_example_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "retrieval/settings/README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    exec(compile(example, "README.md", "exec"), {})
    assert capsys.readouterr().out == "5\n"


def test_the_file_of_the_page_is_read(tmp_path: Path) -> None:
    text = (ROOT / "retrieval/settings/README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    (tmp_path / "docs").mkdir()
    (tmp_path / "knowledge.toml").write_text(example, encoding="utf-8")
    settings, location = load_settings(tmp_path)
    assert (settings.lookup.top_k, settings.knowledge.category) == (5, ("section", "product"))
    assert location.root == (tmp_path / "docs").resolve()
