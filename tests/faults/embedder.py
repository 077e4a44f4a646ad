"""A bag-of-words model in the place of a third party's, that does to vectors what a test says."""

import sys
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from retrieval.semantic.models import HashEmbedding

MODEL = "ollama:bag-of-words"
DIMENSION = 64
Behaviour = Callable[[list[float]], list[float]]


class NativePanic(BaseException):
    """What a panic in compiled code looks like from Python: no `Exception`."""


class OllamaEmbedding(HashEmbedding):
    """Found under the name of the integration package; `behave` changes its vectors."""

    def __init__(self, *, model_name: str) -> None:
        super().__init__(dimension=DIMENSION)

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return [_behaviour[-1](vector) for vector in super()._get_text_embeddings(texts)]


_behaviour: list[Behaviour] = [lambda vector: vector]


@contextmanager
def behave(behaviour: Behaviour) -> Iterator[None]:
    """Texts get what `behaviour` makes of their vector, in every knowledge base."""
    _behaviour.append(behaviour)
    try:
        yield
    finally:
        _behaviour.remove(behaviour)


def install(patch: pytest.MonkeyPatch) -> None:
    """Puts the model where the integration package would be."""
    module = types.ModuleType("llama_index.embeddings.ollama")
    module.OllamaEmbedding = OllamaEmbedding  # type: ignore[attr-defined]
    patch.setitem(sys.modules, module.__name__, module)


def fail(_: list[float]) -> list[float]:
    raise RuntimeError("the model server answered 500")


def panic(_: list[float]) -> list[float]:
    raise NativePanic("range end index 9 out of range")


def find_nothing(vector: list[float]) -> list[float]:
    return [0.0] * len(vector)


def give_nan(vector: list[float]) -> list[float]:
    return [float("nan")] * len(vector)


def give_another_shape(vector: list[float]) -> list[float]:
    return vector[:7]


@contextmanager
def hanging() -> Iterator[None]:
    """Queries hang until the block ends."""
    release = threading.Event()

    def hang(vector: list[float]) -> list[float]:
        release.wait(60)
        return vector

    with behave(hang):
        try:
            yield
        finally:
            release.set()
