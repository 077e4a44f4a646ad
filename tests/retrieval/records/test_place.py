"""Where records lie when a relative file is named, and what a query that is no text leaves."""

import json
from pathlib import Path

import pytest

from retrieval import KnowledgeBase, lookup_knowledge
from tests.notes import write_notes


def test_a_relative_file_is_relative_to_the_settings_file_and_not_to_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write_notes(tmp_path / "notes")
    (root / "knowledge.toml").write_text(
        '[embedding]\nmodel = "hash:64"\n[records]\nurl = "sqlite:///log/records.db"\n', "utf-8"
    )
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    with KnowledgeBase.open(root) as base:
        lookup_knowledge("refund policy", kb=base, mode="l0")
    assert (root / "log" / "records.db").is_file()
    assert list(elsewhere.iterdir()) == []


def test_without_a_settings_file_it_is_relative_to_the_state_folder(tmp_path: Path) -> None:
    settings = {
        "state_dir": str(tmp_path / "state"),
        "embedding": {"model": "hash:64"},
        "records": {"url": "sqlite:///r.db"},
    }
    with KnowledgeBase.open(write_notes(tmp_path / "notes"), settings) as base:
        lookup_knowledge("refund policy", kb=base, mode="l0")
    assert (tmp_path / "state" / "r.db").is_file()


@pytest.mark.parametrize("query", [None, 5, ["refund"]])
def test_a_query_that_is_no_text_is_refused_and_recorded_without_one(
    query: object, tmp_path: Path
) -> None:
    settings = {"state_dir": str(tmp_path / "state"), "embedding": {"model": "hash:64"}}
    with KnowledgeBase.open(write_notes(tmp_path / "notes"), settings) as base:
        result = lookup_knowledge(query, kb=base)  # type: ignore[arg-type]
        record = base.records().get(result.invocation_id or "")
    assert result.outcome == "refused"
    assert record.query is None
    assert (record.error or {})["code"] == "query_not_text"


def test_a_private_query_leaves_only_the_words_that_the_notes_hold(tmp_path: Path) -> None:
    settings = {
        "state_dir": str(tmp_path / "state"),
        "embedding": {"model": "hash:64"},
        "records": {"record": "no_query"},
    }
    with KnowledgeBase.open(write_notes(tmp_path / "notes"), settings) as base:
        base.reindex()
        result = lookup_knowledge("a zebra asks for the refund policy", kb=base)
        record = base.records().get(result.invocation_id or "")
    assert record.query is None
    assert "zebra" not in json.dumps(record.to_dict())
    assert record.retrieval_details["l0_hints"]["keywords"] == ["refund policy"]
