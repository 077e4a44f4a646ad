from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray

from retrieval.semantic import bundled
from retrieval.semantic.fused import build, fused_model

TEXTS = [
    "How do I change my password?",
    "Refunds are paid within ten days. A refund needs the invoice's number.",
    "The gateway answers 429 when a route's limit is reached; see limit-count.",
    "网关限流 and café",
    "rotate " * 200,
]


def vectors(model: str | bytes, *, shipped: bool) -> NDArray[np.float32]:
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    rows = []
    for encoding in bundled.open_tokenizer(256).encode_batch(TEXTS):
        ids = np.array([encoding.ids], dtype=np.int64)
        feed = {"input_ids": ids}
        if shipped:
            feed |= {"attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        mean = session.run(None, feed)[0]
        rows.append(mean.mean(axis=1)[0] if shipped else mean[0])
    matrix = np.stack(rows)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def test_vectors_are_those_of_the_shipped_graph() -> None:
    fused = vectors(build(bundled.model_file()), shipped=False)
    original = vectors(str(bundled.model_file()), shipped=True)
    np.testing.assert_allclose(fused, original, atol=1e-5)


def test_the_graph_is_made_once(tmp_path: Path) -> None:
    path = fused_model(tmp_path)
    assert isinstance(path, str)
    made = Path(path).stat().st_mtime_ns
    assert fused_model(tmp_path) == path
    assert Path(path).stat().st_mtime_ns == made


@pytest.mark.parametrize("suffix", [".onnx", ".sha256"])
def test_a_damaged_file_of_the_cache_is_made_anew(tmp_path: Path, suffix: str) -> None:
    path = Path(str(fused_model(tmp_path)))
    whole = path.read_bytes()
    with path.with_suffix(suffix).open("r+b") as file:
        file.seek(20)
        file.write(b"\xffaltered")
    assert fused_model(tmp_path) == str(path)
    assert path.read_bytes() == whole


def test_without_a_place_for_it_the_graph_stays_in_memory(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    assert fused_model(blocked) == build(bundled.model_file())
