from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from retrieval.semantic.embedding import Embedder, open_embedder
from retrieval.semantic.kept import BATCH, KeepingEmbedder, KeptVectors, kept_path, remove_kept
from retrieval.settings import EmbeddingSection

TEXTS = [f"text number {n}" for n in range(2 * BATCH + 10)]


class Dying(Embedder):
    """Fails with the text after the first `lives` ones."""

    def __init__(self, embedder: Embedder, lives: int) -> None:
        super().__init__(embedder.spec, measure=embedder.measure, load=lambda: embedder.model)
        self.lives = lives
        self.seen: list[str] = []

    def embed_passages(self, texts: Sequence[str], progress: object = None) -> np.ndarray:
        if len(self.seen) + len(texts) > self.lives:
            raise ConnectionError("the model is away")
        self.seen += texts
        return super().embed_passages(texts)


@pytest.fixture
def plain() -> Embedder:
    return open_embedder(EmbeddingSection(model="hash:32"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "embedded-x.bin"


def interrupt(plain: Embedder, path: Path) -> None:
    keeping = KeepingEmbedder(Dying(plain, BATCH), path)
    with pytest.raises(ConnectionError):
        keeping.embed_passages(TEXTS)
    assert keeping.embedded == BATCH


def test_a_second_run_embeds_only_the_rest_and_gives_the_same(plain: Embedder, path: Path) -> None:
    interrupt(plain, path)
    steps: list[tuple[int, int]] = []
    keeping = KeepingEmbedder(plain, path)
    vectors = keeping.embed_passages(TEXTS, lambda *step: steps.append(step))
    assert (keeping.resumed, keeping.embedded) == (BATCH, len(TEXTS) - BATCH)
    np.testing.assert_array_equal(vectors, plain.embed_passages(TEXTS))
    assert steps[0][0] > BATCH
    assert steps[-1] == (len(TEXTS), len(TEXTS))
    again = KeepingEmbedder(Dying(plain, 0), path)
    np.testing.assert_array_equal(again.embed_passages(TEXTS[::-1]), vectors[::-1])


@pytest.mark.parametrize("cut", [1, 3, 20, 100])
def test_a_record_that_was_cut_is_embedded_again(plain: Embedder, path: Path, cut: int) -> None:
    interrupt(plain, path)
    path.write_bytes(path.read_bytes()[:-cut])
    keeping = KeepingEmbedder(plain, path)
    vectors = keeping.embed_passages(TEXTS)
    assert keeping.resumed == BATCH - 1
    np.testing.assert_array_equal(vectors, plain.embed_passages(TEXTS))
    assert len(KeptVectors(path).read()) == len(TEXTS)


def test_an_altered_record_is_left_aside(plain: Embedder, path: Path) -> None:
    interrupt(plain, path)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    assert len(KeptVectors(path).read()) == BATCH - 1


@pytest.mark.parametrize("data", [b"", b"lkw", b"x" * 5000, b"lkw-vec1\x00\x00\x00\x00" * 9])
def test_a_file_of_another_form_is_replaced(plain: Embedder, path: Path, data: bytes) -> None:
    path.write_bytes(data)
    assert KeptVectors(path).read() == {}
    KeepingEmbedder(plain, path).embed_passages(TEXTS[:5])
    assert len(KeptVectors(path).read()) == 5


def test_vectors_of_another_dimension_are_not_mixed_in(plain: Embedder, path: Path) -> None:
    interrupt(open_embedder(EmbeddingSection(model="hash:16")), path)
    vectors = KeepingEmbedder(plain, path).embed_passages(TEXTS)
    np.testing.assert_array_equal(vectors, plain.embed_passages(TEXTS))


def test_a_file_that_cannot_be_written_keeps_nothing(plain: Embedder, path: Path) -> None:
    path.mkdir()
    keeping = KeepingEmbedder(plain, path)
    np.testing.assert_array_equal(keeping.embed_passages(TEXTS), plain.embed_passages(TEXTS))
    assert keeping.embedded == len(TEXTS)


def test_each_model_and_a_full_run_have_a_file_of_their_own(
    plain: Embedder, tmp_path: Path
) -> None:
    other = open_embedder(EmbeddingSection(model="hash:16"))
    paths = {kept_path(tmp_path, e, full=full) for e in (plain, other) for full in (True, False)}
    assert len(paths) == 4
    for path in paths:
        path.write_bytes(b"")
    remove_kept(tmp_path)
    assert list(tmp_path.iterdir()) == []
