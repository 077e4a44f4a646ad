"""What an ablation gives."""

from collections.abc import Mapping
from dataclasses import dataclass

from eval_sets.contract import FilterMetrics
from eval_sets.statistics import Comparison, Interval
from eval_sets.types import Mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One way to look up on one set, or on all sets together."""

    name: str
    says: str
    is_peer: bool
    """True for a baseline, false for the default with or without a part."""
    mean: Mean
    interval: Interval | None
    comparison: Comparison | None
    """The default minus this one, query by query; None for the default itself. Holm over the peers
    of the set, and over the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAblation:
    """One labelled set."""

    name: str
    digest: str
    queries: int
    notes: int
    passages: int
    measured: tuple[Measured, ...]
    filters: Mapping[str, FilterMetrics]
    """`auto` and `strict` → the filter's account, against `off`."""

    def of(self, name: str) -> Measured:
        """The way to look up with this name. Raises `KeyError` when it was not measured."""
        for measured in self.measured:
            if measured.name == name:
                return measured
        raise KeyError(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ablation:
    """All sets, each by itself and together."""

    metric: str
    sets: tuple[SetAblation, ...]
    pooled: tuple[Measured, ...]
    """Over the queries of all sets; empty for a single one."""
    embedding: str | None
    """Digest of the embedder."""
    seed: int
    resamples: int
    versions: Mapping[str, str]
