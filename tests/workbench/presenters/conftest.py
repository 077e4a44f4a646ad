"""Real answers to present."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval import KnowledgeBase
from tests.notes import write_notes


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """The small notes, indexed with an embedder that needs no model."""
    folder: Path = tmp_path_factory.mktemp("presented")
    settings = {"state_dir": str(folder / "state"), "embedding": {"model": "hash:256"}}
    with KnowledgeBase.open(write_notes(folder / "notes"), settings) as opened:
        opened.reindex()
        yield opened
