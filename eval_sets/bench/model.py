"""The embedding model as a peer runs it, and the one that the lookup runs, behind one function."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from eval_sets.bench.machine import count_cores
from retrieval.semantic import bundled

Encode = Callable[[Sequence[str]], NDArray[np.float32]]
"""Texts → unit vectors, shape (number of texts, 384)."""
ModelName = Literal["file", "ours"]
WINDOW = 256
"""Tokens of a text that are read."""
BATCH = 32


def open_model(name: ModelName) -> Encode:
    """`file`: the ONNX file as it is; `ours`: as the lookup rewrites and runs it.

    Both read the same file and the first 256 tokens, on all cores of this process.
    """
    if name == "file":
        return PlainModel(threads=count_cores()).encode
    from retrieval.semantic.models import MiniLMEmbedding

    model = MiniLMEmbedding(threads=count_cores(), window=WINDOW)
    return lambda texts: model.encode(list(texts))


class PlainModel:
    """all-MiniLM-L6-v2 from its ONNX file, run as sentence-transformers runs a model.

    Texts are sorted by length and padded in batches of 32; the mean of the last hidden states over
    the tokens is normalised.
    """

    def __init__(self, *, threads: int) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        self._session: Any = onnxruntime.InferenceSession(
            str(bundled.model_file()), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = bundled.open_tokenizer(WINDOW)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (number of texts, 384)."""
        vectors = np.zeros((len(texts), bundled.DIMENSION), dtype=np.float32)
        ids = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        order = sorted(range(len(ids)), key=lambda position: len(ids[position]))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            vectors[batch] = self._run([ids[position] for position in batch])
        return vectors

    def _run(self, ids: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        tokens = np.zeros((len(ids), max(map(len, ids))), dtype=np.int64)
        mask = np.zeros_like(tokens)
        for row, found in enumerate(ids):
            tokens[row, : len(found)] = found
            mask[row, : len(found)] = 1
        (states,) = self._session.run(
            ["last_hidden_state"],
            {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)},
        )
        summed = (states * mask[:, :, None]).sum(axis=1)
        unit: NDArray[np.float32] = summed / np.linalg.norm(summed, axis=1, keepdims=True)
        return unit


def read_characters(texts: Sequence[str]) -> list[int]:
    """How many characters from its beginning the model reads of each text."""
    encodings = bundled.open_tokenizer(WINDOW).encode_batch(list(texts))
    return [
        len(text) if not encoding.overflowing else max(end for _, end in encoding.offsets)
        for text, encoding in zip(texts, encodings, strict=True)
    ]
