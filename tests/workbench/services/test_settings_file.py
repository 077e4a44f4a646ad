"""Editing knowledge.toml: only what was meant, never over someone else's change."""

import tomllib
from pathlib import Path

import pytest

from retrieval.errors import SettingsError
from retrieval.knowledge_base import KnowledgeBase
from tests.notes import write_notes
from workbench.services.settings import HIDDEN
from workbench.services.settings_file import Proposal, apply_proposal, propose

FILE = """\
# Settings of the handbook
root = "docs"  # the notes

[lookup]
# Eight was too many.
top_k = 5  # blocks

[knowledge]
category = [
  "section",  # first choice
  "product",
]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_notes(tmp_path / "docs")
    (tmp_path / "knowledge.toml").write_text(FILE, encoding="utf-8")
    return tmp_path


def proposed(folder: Path, **changes: object) -> Proposal:
    state = KnowledgeBase.open(folder).location.state_dir
    return propose(folder, state, {k.replace("__", "."): v for k, v in changes.items()})  # type: ignore[misc]


def test_the_difference_holds_the_change_and_nothing_else(folder: Path) -> None:
    proposal = proposed(folder, lookup__top_k=3, lookup__mode="l0")
    changed = [
        line
        for line in proposal.difference.splitlines()
        if line[:1] in "+-" and line[:3] not in {"+++", "---"}
    ]
    assert changed == ["-top_k = 5  # blocks", "+top_k = 3  # blocks", '+mode = "l0"']
    assert (folder / "knowledge.toml").read_text(encoding="utf-8") == FILE


def test_applying_writes_what_was_shown(folder: Path) -> None:
    proposal = proposed(folder, lookup__top_k=3)
    apply_proposal(proposal)
    assert (folder / "knowledge.toml").read_text(encoding="utf-8") == FILE.replace(
        "top_k = 5", "top_k = 3"
    )
    assert KnowledgeBase.open(folder).settings.lookup.top_k == 3


def test_no_change_gives_no_difference(folder: Path) -> None:
    assert proposed(folder).difference == ""


def test_a_value_can_be_taken_out(folder: Path) -> None:
    apply_proposal(proposed(folder, lookup__top_k=None, lookup__budget=None))
    assert KnowledgeBase.open(folder).settings.lookup.top_k == 8


def test_a_list_over_several_lines_stays_one(folder: Path) -> None:
    proposal = proposed(folder, knowledge__category=("area", "section"))
    assert tomllib.loads(proposal.text)["knowledge"]["category"] == ["area", "section"]
    assert '    "area",\n' in proposal.text
    assert proposal.rebuilds == ("knowledge.category",)


def test_a_missing_table_is_added(folder: Path) -> None:
    apply_proposal(proposed(folder, records__record="no_query"))
    assert KnowledgeBase.open(folder).settings.records.record == "no_query"


def test_line_ends_and_byte_order_mark_stay(folder: Path) -> None:
    path = folder / "knowledge.toml"
    path.write_bytes(("\ufeff" + FILE.replace("\n", "\r\n")).encode())
    apply_proposal(proposed(folder, lookup__top_k=3, lookup__mode="l0"))
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf#")
    assert data.count(b"\n") == data.count(b"\r\n")
    assert KnowledgeBase.open(folder).settings.lookup.top_k == 3


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("lookup.top_k", 0, "greater than or equal to 1"),
        ("lookup.mode", "l2", "'l0', 'l1' or 'l0+l1'"),
        ("lookup.min_score", 1.5, "less than or equal to 1"),
        ("root", "nowhere", "is not a folder"),
    ],
)
def test_a_bad_value_is_an_error_of_its_setting(
    folder: Path, name: str, value: str | int | float, says: str
) -> None:
    proposal = propose(folder, folder / "state", {name: value})
    assert list(proposal.errors) == [name]
    assert says in proposal.errors[name]
    with pytest.raises(SettingsError, match="was not written"):
        apply_proposal(proposal)
    assert (folder / "knowledge.toml").read_text(encoding="utf-8") == FILE


def test_every_bad_value_is_named_at_once(folder: Path) -> None:
    proposal = proposed(folder, lookup__top_k=0, embedding__window=1)
    assert set(proposal.errors) == {"lookup.top_k", "embedding.window"}


def test_a_file_that_changed_underneath_is_left_alone(folder: Path) -> None:
    proposal = proposed(folder, lookup__top_k=3)
    theirs = FILE.replace("top_k = 5", "top_k = 6")
    (folder / "knowledge.toml").write_text(theirs, encoding="utf-8")
    with pytest.raises(SettingsError, match="changed since"):
        apply_proposal(proposal)
    assert (folder / "knowledge.toml").read_text(encoding="utf-8") == theirs


def test_a_file_that_was_created_underneath_is_left_alone(tmp_path: Path) -> None:
    proposal = propose(tmp_path, tmp_path / "state", {"lookup.top_k": 3})
    (tmp_path / "knowledge.toml").write_text("", encoding="utf-8")
    with pytest.raises(SettingsError, match="changed since"):
        apply_proposal(proposal)
    assert (tmp_path / "knowledge.toml").read_text(encoding="utf-8") == ""


def test_a_new_file_says_that_the_state_moves(tmp_path: Path) -> None:
    before = KnowledgeBase.open(tmp_path).location.state_dir
    proposal = propose(tmp_path, before, {"lookup.top_k": 3})
    assert proposal.creates
    assert proposal.moves_state
    apply_proposal(proposal)
    after = KnowledgeBase.open(tmp_path).location.state_dir
    assert (proposal.state_before, proposal.state_after) == (before, after)
    assert before != after


def test_a_new_file_can_keep_the_state_where_it_is(tmp_path: Path) -> None:
    before = KnowledgeBase.open(tmp_path).location.state_dir
    proposal = propose(tmp_path, before, {"lookup.top_k": 3, "state_dir": str(before)})
    assert not proposal.moves_state
    apply_proposal(proposal)
    assert KnowledgeBase.open(tmp_path).location.state_dir == before


def test_a_state_folder_named_by_the_environment_does_not_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOKUP_STATE_DIR", str(tmp_path / "elsewhere"))
    proposal = propose(tmp_path, tmp_path / "elsewhere", {"lookup.top_k": 3})
    assert not proposal.moves_state


def test_a_secret_in_the_file_is_not_in_the_difference(tmp_path: Path) -> None:
    text = '[records]\nurl = "postgresql://writer:s3cret@db.example/records"\n'
    (tmp_path / "knowledge.toml").write_text(text, encoding="utf-8")
    proposal = propose(tmp_path, tmp_path / "state", {"records.record": "off"})
    assert "s3cret" not in proposal.difference
    assert HIDDEN in proposal.difference
    assert "s3cret" in proposal.text


def test_a_link_stays_a_link(folder: Path, tmp_path: Path) -> None:
    link = tmp_path / "other"
    link.mkdir()
    (link / "docs").symlink_to(folder / "docs")
    (link / "knowledge.toml").symlink_to(folder / "knowledge.toml")
    apply_proposal(proposed(link, lookup__top_k=3))
    assert (link / "knowledge.toml").is_symlink()
    assert KnowledgeBase.open(folder).settings.lookup.top_k == 3


def test_labels_elsewhere_than_the_file_says_are_told(folder: Path) -> None:
    state, sets = folder / ".lookup-knowledge", folder / "sets"
    proposal = propose(folder, state, {"sets_dir": "labels"}, sets=sets)
    assert (proposal.sets_before, proposal.sets_after) == (sets, folder / "labels")
    assert proposal.moves_sets
    assert not propose(folder, state, {"lookup.top_k": 3}, sets=sets).moves_sets
    assert not propose(folder, state, {"sets_dir": "labels"}).moves_sets  # there are none


def test_a_sets_folder_named_by_the_environment_does_not_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOKUP_SETS_DIR", str(tmp_path / "elsewhere"))
    state = tmp_path / "state"
    proposal = propose(tmp_path, state, {"lookup.top_k": 3}, sets=tmp_path / "elsewhere")
    assert not proposal.moves_sets


def test_an_error_of_a_section_with_secrets_does_not_repeat_it(tmp_path: Path) -> None:
    (tmp_path / "knowledge.toml").write_text('[chroma]\ntoken = "s3cret"\n', encoding="utf-8")
    proposal = propose(tmp_path, tmp_path / "state", {"chroma.url": "http://chroma.internal:8000"})
    assert "needs `collection`" in proposal.errors["chroma"]
    assert "s3cret" not in str(proposal.errors)
