"""What one run gives: its rows, and every figure that was computed from them.

Missing, zero and skipped stay three values here too: a query without a label has no score, one
for which nothing was found has 0.0, and a figure that was not asked for is not there.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from eval_sets.contract import DedupeMetrics, FallbackMetrics, FilterMetrics, NoAnswerMetrics
from eval_sets.statistics import Comparison, Interval
from eval_sets.types import Case, FaultProfile, Mean, Row, Split, Variant
from retrieval.errors import InvalidInput

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The mean of one metric for one variant, with its bootstrap interval."""

    variant: str
    metric: str
    stratum: str | None
    """None for all queries."""
    mean: Mean
    interval: Interval | None
    """None for fewer than two scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StratumComparison:
    """A comparison on the queries of one stratum only."""

    stratum: str
    comparison: Comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultResult:
    """One variant under one fault profile: whether the fallback held, and how good it was."""

    variant: str
    profile: FaultProfile
    metrics: FallbackMetrics
    quality: Mean
    """Mean of the report's first metric under the fault."""
    healthy: Mean
    """The same without the fault."""
    no_evidence: int
    """Queries that came back without a block."""
    failed: tuple[str, ...]
    """Cases whose lookup crashed; must be none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """How alike the rankings of two variants are, as means over the queries."""

    a: str
    b: str
    rbo: Mean
    """Rank-biased overlap with p = 0.9."""
    jaccard: Mean
    """Shared sources of the first ten of both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All rows of one run, the figures computed from them, and what is needed to repeat it."""

    set_name: str
    set_digest: str
    cases: tuple[Case, ...]
    variants: tuple[Variant, ...]
    """In the order asked for."""
    rows: tuple[Row, ...]
    """By variant, then in the order of the cases."""
    metrics: tuple[str, ...]
    """The first one is used where a single figure has to speak: strata, filter, fallback."""
    seed: int
    resamples: int
    baseline: str = ""
    """The variant that the others are compared against."""
    split: Split | None = None
    """None for all cases."""
    values: Mapping[str, Mapping[str, Mapping[str, float | None]]] = field(default_factory=dict)
    """Variant → metric → case id → score."""
    scores: tuple[Score, ...] = ()
    """Every variant and metric, over all queries and by stratum."""
    comparisons: tuple[Comparison, ...] = ()
    """Every metric, every other variant against the baseline; Holm over the variants, by metric."""
    stratum_comparisons: tuple[StratumComparison, ...] = ()
    """The first metric by stratum; Holm over all strata and variants together."""
    overlaps: tuple[Overlap, ...] = ()
    filters: Mapping[str, FilterMetrics] = field(default_factory=dict)
    """Variant → the filter's account, against the same variant with the filter off. Only variants
    that may derive a filter."""
    faults: tuple[FaultResult, ...] = ()
    dedupe: Mapping[str, DedupeMetrics] = field(default_factory=dict)
    """Variant → the account of merging."""
    no_answer: Mapping[str, NoAnswerMetrics] = field(default_factory=dict)
    """Variant → the account of confidence; only where there are labels of both kinds."""
    versions: Mapping[str, str] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    """`notes`, `code`, and `index`, `embedding` where there is an index."""
    cached: tuple[str, ...] = ()
    """Variants whose rows, latencies included, were measured by an earlier run."""
    workers: int = 1
    """Lookups at once, which latencies have to be read with."""
    warnings: tuple[str, ...] = ()
    created_at: str = ""
    """UTC, ISO 8601."""

    @property
    def cases_by_id(self) -> dict[str, Case]:
        """The cases as the metrics take them."""
        return {case.id: case for case in self.cases}

    @property
    def strata(self) -> tuple[str, ...]:
        """The strata in the order of their first case."""
        return tuple(dict.fromkeys(case.stratum for case in self.cases))

    def of_variant(self, name: str) -> tuple[Row, ...]:
        """The rows of one variant, in the order of the cases."""
        return tuple(row for row in self.rows if row.variant == name)

    def score(self, variant: str, metric: str, stratum: str | None = None) -> Score:
        """The score of a variant under a metric. Raises `InvalidInput` when there is none."""
        for score in self.scores:
            if (score.variant, score.metric, score.stratum) == (variant, metric, stratum):
                return score
        raise InvalidInput(
            f"The report has no {metric} of {variant!r}"
            + (f" in the stratum {stratum!r}." if stratum is not None else "."),
            next_action=f"Variants: {', '.join(v.name for v in self.variants)}; "
            f"metrics: {', '.join(self.metrics)}.",
        )

    def to_frame(self) -> "pd.DataFrame":
        """One line a row: what was asked, how it ended, and a column for each metric.

        Raises `MissingExtra` without pandas.
        """
        from eval_sets.frames import rows_frame

        return rows_frame(self)

    def per_query(self, metric: str | None = None) -> "pd.DataFrame":
        """Queries by variants: one metric (the first one unless named), NaN where it is missing.

        The index is the case id; `stratum` and `query` stand before the variants. Raises
        `InvalidInput` for a metric that the report does not have, `MissingExtra` without pandas.
        """
        from eval_sets.frames import per_query_frame

        return per_query_frame(self, metric or self.metrics[0])
