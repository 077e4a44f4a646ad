"""A Chroma client that stores in a folder and reports nothing."""

from pathlib import Path
from typing import Any

import chromadb
from chromadb.config import Settings


def open_client(folder: Path) -> Any:
    """The client; Chroma's own types do not know that it can be closed."""
    return chromadb.PersistentClient(str(folder), settings=Settings(anonymized_telemetry=False))
