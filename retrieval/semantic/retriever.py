"""L1: the dense request, its shadow, full text beside it, and their fusion into candidates."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from retrieval.filtering import admits, is_within
from retrieval.semantic.fusion import Signals, fuse, ranks
from retrieval.text import content_words, script_shares
from retrieval.types import Candidate, Condition, Entry, L1Outcome, L1Request, Shadow

PASSAGES = 100
"""Passages that each of the dense and the full-text request contribute at most."""
SCRIPT_SHARE = 0.8
"""Least share of a query's letters in the embedder's scripts for dense retrieval to make sense."""


class Vectors(Protocol):
    """The stored passage vectors of one index generation."""

    def query(
        self,
        vector: NDArray[np.float32],
        limit: int,
        category: str | None = None,
        conditions: Sequence[Condition] = (),
    ) -> list[tuple[str, float]]:
        """(passage id, cosine) of the nearest passages that the filter admits, nearest first."""

    def cosines(self, vector: NDArray[np.float32], passage_ids: Sequence[str]) -> dict[str, float]:
        """The cosine of each of these passages."""


class Words(Protocol):
    """BM25 over the same passages and their whole notes."""

    @property
    def passage_ids(self) -> Sequence[str]: ...
    @property
    def sources(self) -> Sequence[str]: ...

    def score_passages(self, words: Sequence[str]) -> NDArray[np.float32]: ...
    def score_entries(self, words: Sequence[str]) -> NDArray[np.float32]: ...
    def terms_in(self, passage_id: str, words: Sequence[str]) -> tuple[str, ...]: ...


class OpenIndex(Protocol):
    """An index generation whose parts are opened when they are first asked for."""

    @property
    def is_open(self) -> bool: ...
    @property
    def vectors(self) -> Vectors: ...
    @property
    def fulltext(self) -> Words: ...


class QueryEmbedder(Protocol):
    """Turns a query into a unit vector."""

    @property
    def is_loaded(self) -> bool: ...
    def embed_query(self, text: str) -> NDArray[np.float32]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class HybridRetriever:
    """L1 over one index generation. Raises whatever its parts raise; the caller makes it data."""

    entries: Mapping[str, Entry]
    source_of: Mapping[str, str]
    index: OpenIndex
    embedder: QueryEmbedder
    scripts: tuple[str, ...]

    @property
    def is_open(self) -> bool:
        """True when neither the index nor the model has to be loaded first."""
        return self.index.is_open and self.embedder.is_loaded

    def retrieve(self, request: L1Request) -> L1Outcome:
        """The candidates that the filter admits, and in `auto` the relaxed ones, best note first.

        In a script that the embedder was not trained on, full text answers alone.
        """
        fits = self._embedder_fits(request.query)
        mode = request.mode if fits else "fulltext"
        if mode == "fulltext":
            candidates = self.fulltext(request)
            return L1Outcome(
                status="ok" if candidates else "empty",
                mode=mode,
                attempted=True,
                candidates=candidates,
                embedder_fits=fits,
            )
        vector = self.embedder.embed_query(request.query)
        category, conditions = request.decision.category, request.decision.conditions
        dense = dict(self.index.vectors.query(vector, PASSAGES, category, conditions))
        unfiltered = dense
        relaxed: dict[str, float] = {}
        if category is not None:
            unfiltered = dict(self.index.vectors.query(vector, PASSAGES, None, conditions))
            if request.decision.mode == "auto":
                relaxed = self._relax(unfiltered, dense, request)
        words = content_words(request.query) if mode == "hybrid" else []
        found = self._fuse(vector, words, {**dense, **relaxed}, request, relaxed=frozenset(relaxed))
        return L1Outcome(
            status="ok" if dense else "empty",
            mode=mode,
            attempted=True,
            candidates=tuple(found),
            shadow=self._shadow(vector, words, unfiltered, request) if category else None,
        )

    def fulltext(self, request: L1Request) -> tuple[Candidate, ...]:
        """What BM25 alone finds within the filter, best note first; no cosine is compared."""
        words = content_words(request.query)
        return tuple(self._fuse(None, words, {}, request, relaxed=frozenset()))

    def _embedder_fits(self, query: str) -> bool:
        shares = script_shares(query)
        known = sum(shares.get(script, 0.0) for script in self.scripts)
        return not shares or not self.scripts or known >= SCRIPT_SHARE

    def _relax(
        self, unfiltered: Mapping[str, float], inside: Mapping[str, float], request: L1Request
    ) -> dict[str, float]:
        """Hits outside the derived filter whose cosine passes the floor and is within the margin
        of the best hit inside."""
        best = max(inside.values(), default=None)
        least = request.semantic_floor
        if best is not None:
            least = max(least, best - request.relax_margin)
        category = request.decision.category or ""
        return {
            pid: cosine
            for pid, cosine in unfiltered.items()
            if cosine >= least and not is_within(self.entries[self.source_of[pid]], category)
        }

    def _fuse(
        self,
        vector: NDArray[np.float32] | None,
        words: Sequence[str],
        dense: dict[str, float],
        request: L1Request,
        relaxed: frozenset[str],
    ) -> list[Candidate]:
        """Candidates of the dense hits and of BM25 within the filter, with both scores each."""
        dense_ranks = ranks(dense)
        allowed = {self.source_of[pid] for pid in relaxed}
        category = request.decision.category
        within = self._mask(category, request.decision.conditions)
        bm25, entry_bm25 = self._bm25(words, lambda source: within(source) or source in allowed)
        missing = [pid for pid in bm25 if pid not in dense]
        cosines = dict(dense)
        if vector is not None and missing:
            cosines.update(self.index.vectors.cosines(vector, missing))
        source_of = {pid: self.source_of[pid] for pid in (*dense, *missing)}
        signals = Signals(
            source_of=source_of, cosines=cosines, passage_bm25=bm25, entry_bm25=entry_bm25
        )
        bm25_ranks = ranks(bm25)
        return [
            Candidate(
                passage_id=pid,
                source=source_of[pid],
                score=score,
                cosine=cosines.get(pid),
                dense_rank=dense_ranks.get(pid),
                fulltext_score=bm25.get(pid),
                fulltext_rank=bm25_ranks.get(pid),
                terms=self.index.fulltext.terms_in(pid, words) if pid in bm25 else (),
                relaxed=source_of[pid] in allowed,
            )
            for pid, score in fuse(signals)
        ]

    def _mask(self, category: str | None, conditions: Sequence[Condition]) -> Callable[[str], bool]:
        def within(source: str) -> bool:
            entry = self.entries[source]
            in_category = category is None or is_within(entry, category)
            return in_category and admits(entry, conditions)

        return within

    def _bm25(
        self, words: Sequence[str], within: Callable[[str], bool]
    ) -> tuple[dict[str, float], dict[str, float]]:
        """BM25 of the best passages (best first) and of all notes that share a word."""
        if not words:
            return {}, {}
        index = self.index.fulltext
        entry_scores = index.score_entries(words)
        entries = {
            index.sources[i]: float(entry_scores[i])
            for i in np.flatnonzero(entry_scores > 0).tolist()
            if within(index.sources[i])
        }
        scores = index.score_passages(words)
        passages: dict[str, float] = {}
        for i in np.argsort(-scores, kind="stable").tolist():
            if scores[i] <= 0 or len(passages) == PASSAGES:
                break
            pid = index.passage_ids[i]
            if self.source_of[pid] in entries:
                passages[pid] = float(scores[i])
        return passages, entries

    def _shadow(
        self,
        vector: NDArray[np.float32],
        words: Sequence[str],
        unfiltered: dict[str, float],
        request: L1Request,
    ) -> Shadow:
        """What the request would have ranked without the derived filter."""
        category = request.decision.category or ""
        open_decision = type(request.decision)(
            mode="off", conditions=request.decision.conditions, reason=""
        )
        open_request = L1Request(
            query=request.query,
            mode=request.mode,
            decision=open_decision,
            relax_margin=request.relax_margin,
            semantic_floor=request.semantic_floor,
        )
        found = self._fuse(vector, words, unfiltered, open_request, relaxed=frozenset())
        sources = list(dict.fromkeys(candidate.source for candidate in found))
        outside = [s for s in sources if not is_within(self.entries[s], category)]
        cosines_in = [c for p, c in unfiltered.items() if self.source_of[p] not in outside]
        cosines_out = [c for p, c in unfiltered.items() if self.source_of[p] in outside]
        return Shadow(
            candidates=len(unfiltered),
            outside=len(cosines_out),
            best_cosine_inside=max(cosines_in, default=None),
            best_cosine_outside=max(cosines_out, default=None),
            best_source_outside=outside[0] if outside else None,
            best_rank_outside=sources.index(outside[0]) + 1 if outside else None,
        )
