from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from retrieval.calibration import (
    FILE_NAME,
    CalibrationFile,
    indexing_digest,
    read_calibration,
    write_calibration,
)
from retrieval.knowledge_base import KnowledgeBase
from retrieval.settings import LookupSettings
from tests.notes import write_notes

QUERY = "may a customer ask for a refund within thirty days"
KNOWN = {"embedding": "e", "settings": "s", "index": "i"}


def _file(**fields: Any) -> CalibrationFile:
    given = {
        "created_at": "2026-01-01T00:00:00+00:00",
        "labelled_set": "small 0",
        "answerable": 20,
        "unanswerable": 20,
        "bias": -1.0,
        "cosine_weight": 2.0,
        "coverage_weight": 3.0,
        "strong": 0.7,
        "moderate": 0.4,
        "semantic_floor": 0.2,
    }
    return CalibrationFile.model_validate({**given, **KNOWN, **fields})


@pytest.fixture
def base(tmp_path: Path) -> Iterator[KnowledgeBase]:
    root = write_notes(tmp_path / "notes")
    settings = {"state_dir": tmp_path / "state", "embedding": {"model": "hash:512"}}
    with KnowledgeBase.open(root, settings) as opened:
        opened.reindex()
        yield opened


def _store(base: KnowledgeBase, **fields: Any) -> Path:
    fitting = {
        "embedding": base.fingerprint.embedding,
        "index": base.fingerprint.index,
        "settings": indexing_digest(base.settings),
    }
    return write_calibration(base.location.state_dir, _file(**{**fitting, **fields}))


def test_what_was_written_is_read(tmp_path: Path) -> None:
    assert write_calibration(tmp_path / "state", _file()) == tmp_path / "state" / FILE_NAME
    stored, warning = read_calibration(tmp_path / "state", **KNOWN)
    assert warning is None
    assert stored is not None
    assert stored.semantic_floor == 0.2
    thresholds = stored.thresholds
    assert (thresholds.bias, thresholds.cosine_weight, thresholds.coverage_weight) == (-1, 2, 3)
    assert (thresholds.strong, thresholds.moderate, thresholds.calibrated) == (0.7, 0.4, True)
    assert [path.name for path in (tmp_path / "state").iterdir()] == [FILE_NAME]


def test_without_a_file_there_is_nothing_to_say(tmp_path: Path) -> None:
    assert read_calibration(tmp_path, **KNOWN) == (None, None)


@pytest.mark.parametrize(
    ("changed", "why"),
    [("embedding", "another embedding model"), ("settings", "other [knowledge] or [embedding]")],
)
def test_one_for_something_else_is_left_aside(tmp_path: Path, changed: str, why: str) -> None:
    write_calibration(tmp_path, _file())
    stored, warning = read_calibration(tmp_path, **{**KNOWN, changed: "x"})
    assert stored is None
    assert warning is not None
    assert warning.code == "calibration_ignored"
    assert why in warning.message


@pytest.mark.parametrize(
    ("text", "why"),
    [("{}", "created_at"), ("{", "damaged"), ('{"bias": NaN}', "damaged")],
)
def test_a_damaged_one_is_left_aside(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / FILE_NAME).write_text(text, encoding="utf-8")
    stored, warning = read_calibration(tmp_path, **KNOWN)
    assert stored is None
    assert warning is not None
    assert why in warning.message


def test_unknown_fields_and_impossible_values_are_refused() -> None:
    for wrong in ({"more": 1}, {"strong": 1.5}, {"cosine_weight": -1.0}, {"bias": float("nan")}):
        with pytest.raises(ValidationError):
            _file(**wrong)


def test_lookups_use_it_from_the_next_one_on(base: KnowledgeBase) -> None:
    before = base.lookup(QUERY)
    assert not before.relevance.calibrated
    path = _store(base, bias=10.0)
    after = base.lookup(QUERY)
    assert after.relevance.calibrated
    assert after.relevance.confidence > 0.99
    assert after.relevance.level == "strong"
    assert after.fingerprint.config != before.fingerprint.config
    assert after.fingerprint.index == before.fingerprint.index
    path.unlink()
    assert base.lookup(QUERY).relevance == before.relevance
    assert base.lookup(QUERY).fingerprint == before.fingerprint


def test_its_floor_decides_unless_the_settings_name_one(
    base: KnowledgeBase, tmp_path: Path
) -> None:
    _store(base, semantic_floor=0.99)
    assert not base.lookup(QUERY).relevance.semantic_support
    settings = {
        "state_dir": tmp_path / "state",
        "embedding": {"model": "hash:512"},
        "lookup": {"semantic_floor": 0.0},
    }
    with KnowledgeBase.open(tmp_path / "notes", settings) as own:
        result = own.lookup(QUERY)
    assert result.relevance.semantic_support
    assert result.relevance.calibrated


def test_after_notes_changed_it_holds_but_does_not_count_as_calibrated(
    base: KnowledgeBase, tmp_path: Path
) -> None:
    _store(base, bias=10.0)
    (tmp_path / "notes" / "new.md").write_text("# Pets\n\nDogs are welcome.\n", encoding="utf-8")
    base.reindex()
    result = base.lookup(QUERY)
    assert result.relevance.confidence > 0.99
    assert not result.relevance.calibrated
    assert result.warnings == ()


def test_one_that_does_not_fit_is_told_with_each_answer(base: KnowledgeBase) -> None:
    _store(base, embedding="other")
    result = base.lookup(QUERY)
    assert not result.relevance.calibrated
    assert [warning.code for warning in result.warnings] == ["calibration_ignored"]


def test_options_of_single_lookups_do_not_matter() -> None:
    plain = LookupSettings()
    assert indexing_digest(plain) == indexing_digest(
        LookupSettings.model_validate({"lookup": {"top_k": 3, "filter_mode": "off"}})
    )
    assert indexing_digest(plain) != indexing_digest(
        LookupSettings.model_validate({"embedding": {"window": 128}})
    )
