"""The default lookup, and the same without one part. Nothing else differs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import cast

from retrieval.hints import L0Index
from retrieval.lookup import View
from retrieval.semantic.retriever import HybridRetriever
from retrieval.types import Json
from retrieval.weights import WEIGHTS

OURS = "auto"
"""The default: what everything else is compared with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A way to look up: options of the lookup, and a change of what it reads."""

    name: str
    says: str
    """What is other than in the default, in words."""
    options: Mapping[str, Json] = field(default_factory=dict)
    change: Callable[[View], View] = lambda view: view


def _weighing(**weights: float) -> Callable[[View], View]:
    changed = replace(WEIGHTS, **weights)

    def change(view: View) -> View:
        retriever = replace(cast(HybridRetriever, view.retriever), weights=changed)
        return replace(view, retriever=retriever, weights=changed)

    return change


def _hinting(**settings: float) -> Callable[[View], View]:
    return lambda view: replace(view, l0=L0Index(view.l0.entries, **settings))


PARTS: tuple[Part, ...] = (
    Part(name=OURS, says="the default"),
    Part(name="off", says="no derived filter", options={"filter_mode": "off"}),
    Part(
        name="strict",
        says="− relaxation: nothing comes in past the derived filter",
        options={"filter_mode": "strict"},
    ),
    Part(name="l0", says="L0 alone", options={"mode": "l0"}),
    Part(name="no L0", says="− L0: no match, overlap or filter", options={"mode": "l1"}),
    Part(name="no overlap", says="− graded L0 in the ranking", change=_weighing(overlap=0.0)),
    Part(name="no headings", says="− headings in graded L0", change=_hinting(heading_share=0.0)),
    Part(
        name="no phrase", says="− what a whole matched term adds", change=_hinting(hit_weight=0.0)
    ),
    Part(
        name="any length",
        says="graded L0 counts alike in long queries",
        change=_weighing(short_query=inf),
    ),
    Part(name="no dense", says="− dense: full text and L0", options={"l1_mode": "fulltext"}),
    Part(name="no BM25", says="− BM25: dense and L0", options={"l1_mode": "dense"}),
    Part(name="no note BM25", says="− BM25 of whole notes", change=_weighing(entry=0.0)),
    Part(
        name="no passage BM25",
        says="− BM25 of passages",
        change=_weighing(passage=0.0, second=0.0),
    ),
    Part(
        name="one passage",
        says="− the second best passage: its weight goes to the best",
        change=_weighing(passage=WEIGHTS.passage + WEIGHTS.second, second=0.0),
    ),
)
"""The default first."""
