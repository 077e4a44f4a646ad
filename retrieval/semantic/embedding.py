"""The embedder that the settings name: what it is, how it counts tokens, and its vectors.

Opening one is cheap. The model itself, LlamaIndex and onnxruntime are loaded with the first text.
"""

import hashlib
import importlib
import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from retrieval.errors import EmbeddingError, MissingExtra, RetrievalError, SettingsError
from retrieval.semantic import bundled
from retrieval.settings import EmbeddingSection
from retrieval.text import tokens

if TYPE_CHECKING:
    from llama_index.core.base.embeddings.base import BaseEmbedding

_HASH = re.compile(r"hash:([1-9]\d{0,4})")
# Integration → (class, the argument that names the model).
_INTEGRATIONS = {
    "huggingface": ("HuggingFaceEmbedding", "model_name"),
    "fastembed": ("FastEmbedEmbedding", "model_name"),
    "openai": ("OpenAIEmbedding", "model"),
    "ollama": ("OllamaEmbedding", "model_name"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingSpec:
    """What an index has to know about its embedder."""

    name: str
    dimension: int | None
    """None for a model that tells only by embedding a text."""
    window: int
    """Tokens of a passage at most."""
    scripts: tuple[str, ...]
    """Scripts that the model was trained on; empty when it takes any."""
    semantic_floor: float | None
    """Least cosine that counts as semantic support; None when nobody measured it."""
    digest: str
    """Equal digests mean equal vectors."""


class Embedder:
    """Vectors of passages and queries, from the model that `spec` describes."""

    def __init__(
        self,
        spec: EmbeddingSpec,
        *,
        measure: Callable[[str], int],
        load: Callable[[], "BaseEmbedding"],
    ) -> None:
        self.spec = spec
        self.measure = measure
        """Tokens of a text, at least approximately: for models that come from elsewhere they are
        counted with the default model's tokenizer."""
        self._load = load
        self._model: BaseEmbedding | None = None
        self._lock = threading.Lock()

    @property
    def is_loaded(self) -> bool:
        """True when the next text meets a loaded model."""
        return self._model is not None

    @property
    def model(self) -> "BaseEmbedding":
        """The LlamaIndex model; the first access loads it.

        Raises `EmbeddingError` for missing or altered files, `MissingExtra` without the package.
        """
        with self._lock:
            if self._model is None:
                self._model = self._load()
            return self._model

    def embed_passages(
        self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None
    ) -> NDArray[np.float32]:
        """Unit vectors, shape (number of texts, dimension); a text without any word may be zero.

        `progress` is called with (done, total). Raises `EmbeddingError` when the model fails, or
        gives vectors of another dimension, or numbers that are none.
        """
        if not texts:
            return np.zeros((0, self.spec.dimension or 0), dtype=np.float32)
        step = self.model.embed_batch_size
        parts: list[NDArray[np.float32]] = []
        for start in range(0, len(texts), step):
            batch = list(texts[start : start + step])
            with self._named_failure():
                raw = self.model.get_text_embedding_batch(batch)
            parts.append(self._checked(raw))
            if progress is not None:
                progress(start + len(batch), len(texts))
        return np.concatenate(parts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The query's unit vector, shape (dimension,); zero when the text has no word for it.

        Raises `EmbeddingError` as `embed_passages` does.
        """
        with self._named_failure():
            raw = self.model.get_query_embedding(text)
        vector: NDArray[np.float32] = self._checked([raw])[0]
        return vector

    @contextmanager
    def _named_failure(self) -> Iterator[None]:
        try:
            yield
        except RetrievalError:
            raise
        # Part of the boundary around L1, here to give the failure its name and next step: clients
        # of models raise errors of their own that have no common base.
        except Exception as error:
            raise EmbeddingError(
                f"The embedding model '{self.spec.name}' failed: {type(error).__name__}: {error}.",
                next_action="Check the model and its server, or set another `embedding.model`.",
            ) from error

    def _checked(self, raw: Sequence[Sequence[float]]) -> NDArray[np.float32]:
        vectors = np.asarray(raw, dtype=np.float32)
        expected = self.spec.dimension or vectors.shape[-1]
        if vectors.shape != (len(raw), expected) or not np.isfinite(vectors).all():
            raise EmbeddingError(
                f"The embedding model '{self.spec.name}' gave {vectors.shape} numbers for "
                f"{len(raw)} texts where {expected} finite ones each were expected.",
                next_action="Check the model, or choose another with `embedding.model`.",
            )
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / np.where(norms == 0, 1, norms)).astype(np.float32)


def open_embedder(settings: EmbeddingSection) -> Embedder:
    """The embedder that `embedding.model` names; nothing heavy is loaded yet.

    Raises `SettingsError` for a name of another form or a window that the model cannot read.
    """
    integration, _, model = settings.model.partition(":")
    if settings.model == "minilm":
        return _open_minilm(settings)
    if match := _HASH.fullmatch(settings.model):
        return _open_hash(settings, int(match[1]))
    if integration in _INTEGRATIONS and model:
        return _open_integration(settings, integration, model)
    known = ", ".join(f"'{name}:<model>'" for name in _INTEGRATIONS)
    raise SettingsError(
        f"The setting 'embedding.model' names no embedder: '{settings.model}'.",
        next_action=f"Use 'minilm', 'hash:<dimensions>', {known}.",
    )


def _open_minilm(settings: EmbeddingSection) -> Embedder:
    if settings.window > bundled.MAX_TOKENS:
        raise SettingsError(
            f"The setting 'embedding.window' is {settings.window}, but 'minilm' reads at most "
            f"{bundled.MAX_TOKENS} tokens.",
            next_action="Lower it; the model was trained on passages of 256.",
        )

    def load() -> "BaseEmbedding":
        from retrieval.semantic.models import MiniLMEmbedding

        return MiniLMEmbedding(threads=settings.threads or _cores(), window=settings.window)

    spec = EmbeddingSpec(
        name=settings.model,
        dimension=bundled.DIMENSION,
        window=settings.window,
        scripts=bundled.SCRIPTS if settings.scripts is None else settings.scripts,
        semantic_floor=bundled.SEMANTIC_FLOOR,
        digest=bundled.digest(),
    )
    return Embedder(spec, measure=bundled.count_tokens, load=load)


def _open_hash(settings: EmbeddingSection, dimension: int) -> Embedder:
    def load() -> "BaseEmbedding":
        from retrieval.semantic.models import HashEmbedding

        return HashEmbedding(dimension=dimension)

    spec = _plain_spec(settings, dimension=dimension)
    return Embedder(spec, measure=lambda text: len(tokens(text)), load=load)


def _open_integration(settings: EmbeddingSection, integration: str, model: str) -> Embedder:
    class_name, argument = _INTEGRATIONS[integration]

    def load() -> "BaseEmbedding":
        try:
            module = importlib.import_module(f"llama_index.embeddings.{integration}")
        except ModuleNotFoundError as error:
            raise MissingExtra(
                f"The embedding model '{settings.model}'",
                integration,
                install=f"llama-index-embeddings-{integration}",
            ) from error
        loaded: BaseEmbedding = getattr(module, class_name)(**{argument: model})
        return loaded

    return Embedder(_plain_spec(settings, dimension=None), measure=bundled.count_tokens, load=load)


def _plain_spec(settings: EmbeddingSection, *, dimension: int | None) -> EmbeddingSpec:
    return EmbeddingSpec(
        name=settings.model,
        dimension=dimension,
        window=settings.window,
        scripts=settings.scripts or (),
        semantic_floor=None,
        digest=hashlib.sha256(settings.model.encode()).hexdigest()[:12],
    )


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
