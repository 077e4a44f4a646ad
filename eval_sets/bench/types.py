"""The values of the benchmark: what is to be run, repeated measurements, the state of the run."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypedDict

from retrieval.types import Json

Part = Literal["indexing", "reindex", "lookup", "l0", "scale", "cold", "peers-quality"]
Tell = Callable[[str], None]
"""Hears in a line what is being done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be measured, and how large."""

    data: Path | None = None
    """Folder of folders, each with `knowledge/` and, for quality, `queries.jsonl` and qrels."""
    peers: tuple[str, ...] = ()
    """Keys of the peers beside ours; empty for all."""
    sets: tuple[str, ...] = ()
    """Labelled folders of `data`; empty for those whose notes are small enough."""
    megabytes: float = 3.0
    """Size of the notes that are indexed, 10^6 bytes each."""
    repeat: int = 3
    passages: int = 10_000
    """Size of the synthetic notes of `reindex` and `lookup`."""
    entries: tuple[int, int] = (1_000, 100_000)
    """Numbers of entries that L0 is compared on."""
    sizes: tuple[int, ...] = (1_000, 10_000, 100_000)
    """Numbers of passages of `scale`."""
    queries: int = 200
    """Queries in one repetition of `lookup` and `l0`."""
    quick: bool = False
    """True when the sizes are small: everything runs, and no target is judged."""

    def as_json(self) -> dict[str, Json]:
        """What a reader has to know about the run; paths only by their last name."""
        return {
            "data": self.data.name if self.data else None,
            "megabytes": self.megabytes,
            "repeat": self.repeat,
            "passages": self.passages,
            "entries": list(self.entries),
            "sizes": list(self.sizes),
            "queries": self.queries,
            "quick": self.quick,
        }


class Measured(TypedDict):
    """One quantity, measured several times."""

    values: list[float]
    median: float
    low: float
    high: float


def summarise(values: Sequence[float], digits: int = 4) -> Measured:
    """All repetitions with their median, least and greatest, to so many significant digits.

    Raises `ValueError` for no value: what was not measured has no figure.
    """
    if not values:
        raise ValueError("nothing was measured")
    kept = [float(f"{value:.{digits}g}") for value in values]
    return {
        "values": kept,
        "median": float(f"{statistics.median(kept):.{digits}g}"),
        "low": min(kept),
        "high": max(kept),
    }


def ratios(above: Sequence[float], below: Sequence[float]) -> Measured:
    """The quotient of each repetition, both measured one right after the other."""
    return summarise([a / b for a, b in zip(above, below, strict=True)])
