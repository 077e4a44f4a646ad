"""The embedding models of our own, as LlamaIndex models; imported when the first text is embedded.

`MiniLMEmbedding` runs all-MiniLM-L6-v2 on onnxruntime: mean of the last hidden states over the
tokens, L2 norm, as sentence-transformers does for this model.
"""

import asyncio
import hashlib
import threading
from abc import abstractmethod
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import PrivateAttr
from numpy.typing import NDArray

from retrieval.semantic import bundled
from retrieval.semantic.fused import fused_model
from retrieval.text import content_words

BATCH = 32


class _Base(BaseEmbedding):
    """What LlamaIndex asks of a model, in terms of one method for a list of texts."""

    @abstractmethod
    def encode(self, texts: list[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (number of texts, dimension)."""

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = self.encode(texts).tolist()
        return vectors

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return await asyncio.to_thread(self._get_query_embedding, query)


class MiniLMEmbedding(_Base):
    """all-MiniLM-L6-v2, as `fused` rewrites it. Its files are checked on use.

    A text's vector does not depend on its batch: each text runs alone, without padding, on one
    thread of its own. That is also faster than padded batches.
    """

    threads: int
    window: int
    _lock: Any = PrivateAttr(default_factory=threading.Lock)
    _tokenizer: Any = PrivateAttr(default=None)
    _sessions: dict[int, Any] = PrivateAttr(default_factory=dict)

    def __init__(self, *, threads: int, window: int) -> None:
        super().__init__(  # type: ignore[call-arg]
            model_name="minilm", embed_batch_size=BATCH, threads=threads, window=window
        )

    def encode(self, texts: list[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (number of texts, 384). A text is cut after `window` tokens."""
        tokenizer = self._open_tokenizer()
        ids = [encoding.ids for encoding in tokenizer.encode_batch(texts)]
        if len(ids) < 2 or self.threads == 1:
            run = partial(_run, self._session(self.threads))
            return _stacked([run(item) for item in ids])
        # Longest first, so that no thread starts a long text when the others have finished.
        order = sorted(range(len(ids)), key=lambda i: -len(ids[i]))
        run = partial(_run, self._session(1))
        with ThreadPoolExecutor(self.threads) as pool:
            done = dict(zip(order, pool.map(run, [ids[i] for i in order]), strict=True))
        return _stacked([done[i] for i in range(len(ids))])

    def _open_tokenizer(self) -> Any:
        with self._lock:
            if self._tokenizer is None:
                self._tokenizer = bundled.open_tokenizer(self.window)
            return self._tokenizer

    def _session(self, threads: int) -> Any:
        with self._lock:
            if threads not in self._sessions:
                import onnxruntime

                options = onnxruntime.SessionOptions()
                options.intra_op_num_threads = threads
                options.log_severity_level = 3
                self._sessions[threads] = onnxruntime.InferenceSession(
                    fused_model(), options, providers=["CPUExecutionProvider"]
                )
            return self._sessions[threads]


def _run(session: Any, ids: list[int]) -> NDArray[np.float32]:
    mean = session.run(None, {"input_ids": np.array([ids], dtype=np.int64)})[0][0]
    vector: NDArray[np.float32] = mean / np.linalg.norm(mean)
    return vector


def _stacked(vectors: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    if not vectors:
        return np.zeros((0, bundled.DIMENSION), dtype=np.float32)
    return np.stack(vectors).astype(np.float32)


class HashEmbedding(_Base):
    """Bag of words: each content word counts in the dimension that its hash names.

    Knows no meaning and needs no file; for tests. A text without words has the zero vector.
    """

    dimension: int

    def __init__(self, *, dimension: int) -> None:
        super().__init__(  # type: ignore[call-arg]
            model_name=f"hash:{dimension}", embed_batch_size=BATCH, dimension=dimension
        )

    def encode(self, texts: list[str]) -> NDArray[np.float32]:
        """Unit or zero vectors, shape (number of texts, dimension)."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in content_words(text):
                word_digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
                row[int.from_bytes(word_digest) % self.dimension] += 1
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / np.where(norms == 0, 1, norms)).astype(np.float32)
