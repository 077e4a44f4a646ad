"""The labelled sets that come with the package; they are read-only."""

from pathlib import Path

__all__ = ["bundled_sets", "starter"]


def starter() -> Path:
    """The notes of the starter set: the knowledge base of whoever has none yet."""
    return Path(__file__).parent / "starter" / "knowledge"


def bundled_sets() -> dict[str, Path]:
    """Name → folder of every bundled set, sorted by name."""
    folders = sorted(path.parent for path in Path(__file__).parent.glob("*/set.yaml"))
    return {folder.name: folder for folder in folders}
