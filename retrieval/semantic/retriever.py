"""L1: the dense request, its shadow, full text beside it, and their fusion into candidates."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from retrieval.filtering import is_within
from retrieval.semantic.admission import Admission
from retrieval.semantic.fusion import Scales, Signals, fuse, ranks
from retrieval.semantic.parts import OpenIndex, QueryEmbedder
from retrieval.semantic.ranking import rank_best, rank_second
from retrieval.semantic.relaxing import relax_near, relax_worded
from retrieval.text import content_words, script_shares
from retrieval.types import Candidate, Condition, Entry, L1Outcome, L1Request, Shadow
from retrieval.weights import WEIGHTS, Weights

PASSAGES = 100
"""Passages that each of the dense and the full-text request contribute at most."""
SCRIPT_SHARE = 0.8
"""Least share of a query's letters in the embedder's scripts for dense retrieval to make sense."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Query:
    """A query as the index is asked for it; its words are scored once for all requests."""

    vector: NDArray[np.float32] | None
    words: Sequence[str]
    bm25: tuple[NDArray[np.float32], NDArray[np.float32]] | None
    """Of every passage, and of every note; None without words."""


@dataclass(frozen=True, kw_only=True)
class HybridRetriever:
    """L1 over one index generation. Raises whatever its parts raise; the caller makes it data."""

    entries: Mapping[str, Entry]
    source_of: Mapping[str, str]
    index: OpenIndex
    embedder: QueryEmbedder
    scripts: tuple[str, ...]
    weights: Weights = WEIGHTS

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
        category, conditions = request.decision.category, request.decision.conditions
        dense: dict[str, float] = {}
        unfiltered: dict[str, float] = {}
        vector = None
        if mode != "fulltext":
            vector = self.embedder.embed_query(request.query)
            dense = dict(self.index.vectors.query(vector, PASSAGES, category, conditions))
            unfiltered = dense
            if category is not None:
                unfiltered = dict(self.index.vectors.query(vector, PASSAGES, None, conditions))
        query = self._score(vector, content_words(request.query) if mode != "dense" else [])
        everything = None
        near: dict[str, float] = {}
        relaxed: set[str] = set()
        if category is not None:
            everything = self._signals(query, unfiltered, None, conditions)
            if request.decision.mode == "auto":
                near = self._relax_near(unfiltered, dense, category, request)
                relaxed = {self.source_of[pid] for pid in near}
                relaxed |= self._relax_worded(everything, category, request)
        found = self._find(query, {**dense, **near}, request, relaxed, everything)
        is_ok = bool(dense) if mode != "fulltext" else any(not c.relaxed for c in found)
        return L1Outcome(
            status="ok" if is_ok else "empty",
            mode=mode,
            attempted=True,
            candidates=found,
            shadow=self._shadow(everything, unfiltered, category)
            if everything and category and mode != "fulltext"
            else None,
            embedder_fits=fits,
        )

    def fulltext(self, request: L1Request) -> tuple[Candidate, ...]:
        """What BM25 alone finds within the filter, best note first; no cosine is compared."""
        query = self._score(None, content_words(request.query))
        return self._find(query, {}, request)

    @cached_property
    def _admission(self) -> Admission:
        text = self.index.fulltext
        passage_sources = (self.source_of[pid] for pid in text.passage_ids)
        return Admission(self.entries, text.sources, passage_sources)

    def _embedder_fits(self, query: str) -> bool:
        shares = script_shares(query)
        known = sum(shares.get(script, 0.0) for script in self.scripts)
        return not shares or not self.scripts or known >= SCRIPT_SHARE

    def _relax_near(
        self,
        unfiltered: Mapping[str, float],
        inside: Mapping[str, float],
        category: str,
        request: L1Request,
    ) -> dict[str, float]:
        near = relax_near(unfiltered, inside, request)
        outside = self._outside({self.source_of[pid] for pid in near}, category)
        return {pid: cosine for pid, cosine in near.items() if self.source_of[pid] in outside}

    def _relax_worded(self, everything: Signals, category: str, request: L1Request) -> set[str]:
        best: dict[str, float] = {}
        for pid, score in everything.passage_bm25.items():
            source = everything.source_of[pid]
            best[source] = max(score, best.get(source, 0.0))
        return relax_worded(best, self._outside(best, category), request)

    def _outside(self, sources: Iterable[str], category: str) -> set[str]:
        return {s for s in sources if not is_within(self.entries[s], category)}

    def _score(self, vector: NDArray[np.float32] | None, words: Sequence[str]) -> _Query:
        bm25 = None
        if words:
            text = self.index.fulltext
            bm25 = (text.score_passages(words), text.score_entries(words))
        return _Query(vector=vector, words=words, bm25=bm25)

    def _find(
        self,
        query: _Query,
        dense: Mapping[str, float],
        request: L1Request,
        relaxed: Collection[str] = (),
        everything: Signals | None = None,
    ) -> tuple[Candidate, ...]:
        """Candidates of the dense hits and of BM25 within the filter, with both scores each.

        `everything` is what the unfiltered request saw.
        """
        decision = request.decision
        signals = self._signals(query, dense, decision.category, decision.conditions, relaxed)
        scales = Scales.of(everything) if everything else None
        dense_ranks, bm25_ranks = ranks(dense), ranks(signals.passage_bm25)
        terms = (
            self.index.fulltext.terms_in(list(signals.passage_bm25), query.words)
            if signals.passage_bm25
            else {}
        )
        return tuple(
            Candidate(
                passage_id=pid,
                source=signals.source_of[pid],
                score=score,
                cosine=signals.cosines.get(pid),
                dense_rank=dense_ranks.get(pid),
                fulltext_score=signals.passage_bm25.get(pid),
                fulltext_rank=bm25_ranks.get(pid),
                terms=terms.get(pid, ()),
                relaxed=signals.source_of[pid] in relaxed,
            )
            for pid, score in fuse(signals, self.weights, scales)
        )

    def _signals(
        self,
        query: _Query,
        dense: Mapping[str, float],
        category: str | None,
        conditions: Sequence[Condition],
        allowed: Collection[str] = (),
    ) -> Signals:
        """The raw scores of the dense hits and of the best that BM25 finds within the filter, or
        in one of the `allowed` notes besides."""
        passages: dict[str, float] = {}
        passage_scores = entry_scores = np.zeros(0, dtype=np.float32)
        if query.bm25 is not None:
            passage_scores, entry_scores = query.bm25
            mask = self._admission.mask(category, conditions, allowed)
            entry_scores = np.where(mask, entry_scores, 0)
            # A passage without a score of its note is none of the filter's.
            found = (entry_scores > 0)[self._admission.note_of]
            passages = self._best_passages(np.where(found, passage_scores, 0))
        missing = [pid for pid in passages if pid not in dense]
        cosines = dict(dense)
        if query.vector is not None and missing:
            cosines.update(self.index.vectors.cosines(query.vector, missing))
        source_of = {pid: self.source_of[pid] for pid in (*dense, *missing)}
        sources = list(dict.fromkeys(source_of.values()))
        return Signals(
            source_of=source_of,
            cosines=cosines,
            passage_bm25=passages,
            second_bm25=self._second_bm25(sources, passage_scores),
            entry_bm25=self._entry_bm25(sources, entry_scores),
        )

    def _best_passages(self, scores: NDArray[np.float32]) -> dict[str, float]:
        """The best passages that have a score, best first."""
        ids = self.index.fulltext.passage_ids
        scored = np.flatnonzero(scores > 0)
        best = scored[rank_best(scores[scored], PASSAGES)]
        pairs = zip(best.tolist(), scores[best].tolist(), strict=True)
        return {ids[position]: score for position, score in pairs}

    def _entry_bm25(self, sources: Sequence[str], scores: NDArray[np.float32]) -> dict[str, float]:
        if not len(scores) or not sources:
            return {}
        found = scores[[self._admission.position(source) for source in sources]].tolist()
        return {s: score for s, score in zip(sources, found, strict=True) if score > 0}

    def _second_bm25(self, sources: Sequence[str], scores: NDArray[np.float32]) -> dict[str, float]:
        if not len(scores):
            return {}
        notes = np.fromiter(map(self._admission.position, sources), np.intp, len(sources))
        second = rank_second(scores, self._admission.note_of, notes)
        return {s: score for s, score in zip(sources, second.tolist(), strict=True) if score > 0}

    def _shadow(
        self, everything: Signals, unfiltered: Mapping[str, float], category: str
    ) -> Shadow:
        """What the request would have ranked without the derived filter."""
        sources = list(
            dict.fromkeys(everything.source_of[pid] for pid, _ in fuse(everything, self.weights))
        )
        elsewhere = self._outside(sources, category)
        outside = [source for source in sources if source in elsewhere]
        cosines_in = [c for p, c in unfiltered.items() if self.source_of[p] not in elsewhere]
        cosines_out = [c for p, c in unfiltered.items() if self.source_of[p] in elsewhere]
        return Shadow(
            candidates=len(unfiltered),
            outside=len(cosines_out),
            best_cosine_inside=max(cosines_in, default=None),
            best_cosine_outside=max(cosines_out, default=None),
            best_source_outside=outside[0] if outside else None,
            best_rank_outside=sources.index(outside[0]) + 1 if outside else None,
        )
