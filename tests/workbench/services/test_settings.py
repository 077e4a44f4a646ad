"""What holds and where it comes from."""

from pathlib import Path

import pytest

from retrieval.bundled import default_knowledge
from retrieval.knowledge_base import KnowledgeBase
from tests.notes import write_notes
from workbench.services.settings import (
    HIDDEN,
    Setting,
    hide_secrets,
    list_settings,
    settings_folder,
    why_not_writable,
)


def settings_of(folder: Path, environ: dict[str, str] | None = None) -> dict[str, Setting]:
    base = KnowledgeBase.open(folder)
    return {setting.path: setting for setting in list_settings(base, environ or {})}


def test_a_setting_says_its_kind_bounds_and_default(tmp_path: Path) -> None:
    found = settings_of(tmp_path)
    assert (found["lookup.mode"].kind, found["lookup.mode"].choices) == (
        "choice",
        ("l0", "l1", "l0+l1"),
    )
    top_k = found["lookup.top_k"]
    assert (top_k.kind, top_k.bounds, top_k.default, top_k.optional) == (
        "integer",
        "1 to 1000",
        8,
        False,
    )
    assert found["lookup.l1_timeout"].bounds == "more than 0"
    assert (found["lookup.budget"].bounds, found["lookup.budget"].optional) == (
        "at least 200",
        True,
    )
    assert found["knowledge.title"].kind == "list"
    assert found["knowledge.folder_as_category"].kind == "switch"
    assert found["root"].kind == "text"


def test_each_value_says_where_it_comes_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "knowledge.toml").write_text("[lookup]\ntop_k = 5\nl1_timeout = 3\n")
    monkeypatch.setenv("LOOKUP_LOOKUP__TOP_K", "12")
    found = settings_of(tmp_path, {"LOOKUP_LOOKUP__TOP_K": "12", "HOME": "/"})
    top_k = found["lookup.top_k"]
    assert (top_k.value, top_k.in_file, top_k.written) == (12, 5, 5)
    assert (top_k.origin, top_k.variable) == ("environment", "LOOKUP_LOOKUP__TOP_K")
    assert (found["lookup.l1_timeout"].origin, found["lookup.l1_timeout"].value) == ("file", 3.0)
    assert (found["lookup.mode"].origin, found["lookup.mode"].in_file) == ("default", None)


def test_a_file_that_repeats_the_default_is_still_where_it_comes_from(tmp_path: Path) -> None:
    (tmp_path / "knowledge.toml").write_text("[lookup]\ntop_k = 8\n")
    assert settings_of(tmp_path)["lookup.top_k"].origin == "file"


def test_a_password_is_never_part_of_a_setting(tmp_path: Path) -> None:
    url = "postgresql://writer:s3cret@db.example/records"
    (tmp_path / "knowledge.toml").write_text(f'[records]\nurl = "{url}"\n')
    found = settings_of(tmp_path)["records.url"]
    assert "s3cret" not in repr(found)
    assert found.value == f"postgresql://writer:{HIDDEN}@db.example/records"
    assert (found.secret, found.kind) == (True, "other")


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ('token = "abc" # note', f'token = "{HIDDEN}"'),
        ('chroma.token="abc"', f'chroma.token="{HIDDEN}"'),
        ('url = "sqlite:////a/b.db"', 'url = "sqlite:////a/b.db"'),
        ('tokens = "abc"', 'tokens = "abc"'),
        (
            'url = "postgresql://me:abc@db/r?sslmode=require&sslpassword=abc"',
            f'url = "postgresql://me:{HIDDEN}@db/r?sslmode=require&sslpassword={HIDDEN}"',
        ),
    ],
)
def test_secrets_are_hidden_in_text(text: str, hidden: str) -> None:
    assert hide_secrets(text) == hidden


def test_the_bundled_notes_cannot_be_given_a_file(tmp_path: Path) -> None:
    bundled = default_knowledge(tmp_path)
    reason = why_not_writable(bundled)
    assert reason is not None
    assert reason.code == "bundled"
    assert "--kb" in reason.next_action
    assert why_not_writable(tmp_path) is None


def test_the_folder_of_the_file_is_not_the_root_of_the_notes(tmp_path: Path) -> None:
    write_notes(tmp_path / "docs")
    assert settings_folder(KnowledgeBase.open(tmp_path / "docs"), tmp_path / "docs") == (
        tmp_path / "docs"
    )
    (tmp_path / "knowledge.toml").write_text('root = "docs"')
    assert settings_folder(KnowledgeBase.open(tmp_path), tmp_path) == tmp_path
