"""LlamaIndex with its Chroma store and the splitter that it takes when none is named."""

from pathlib import Path

from eval_sets.bench.model import Encode
from eval_sets.bench.peers.llama_index import LlamaIndex


def open_peer(folder: Path, encode: Encode) -> LlamaIndex:
    """Chunks of up to 1024 tokens, of which the model reads the first 256."""
    return LlamaIndex(folder, encode, None)
