"""Merging: candidates of both layers become evidence blocks, one per note, best first. Pure."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from retrieval.choosing import choose_passage
from retrieval.reasons import l0_reasons, l1_reasons, near_reason
from retrieval.text import content_words, written_forms
from retrieval.types import (
    Candidate,
    Counts,
    Entry,
    EvidenceBlock,
    HitReason,
    L0Hints,
    L0Match,
    L1Outcome,
    Layer,
    NearMatch,
    Passage,
    PassageSpan,
)
from retrieval.weights import WEIGHTS, Weights

CONTENT_PASSAGES = 3
"""Matched passages whose text a block carries at most; the spans of all of them are listed."""
CONTENT_SHARE = 0.6
"""Share of the best passage's cosine that another one needs for its text to stand beside it."""
GAP = "[…]"
"""Marks left-out text between two passages of a block."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """Everything that was found about one note."""

    match: L0Match | None
    near: NearMatch | None
    l1_is_ok: bool
    """While it is, a near match is no candidate: it lends its score to what L1 found."""
    candidates: tuple[Candidate, ...]
    fallback: tuple[Candidate, ...]
    overlap_weight: float

    @property
    def size(self) -> int:
        from_l0 = self.match is not None or (self.near is not None and not self.l1_is_ok)
        return from_l0 + len(self.candidates) + len(self.fallback)

    @property
    def relaxed(self) -> bool:
        return bool(self.candidates) and all(c.relaxed for c in self.candidates)

    @property
    def layer(self) -> Layer:
        """Relaxed hits claim nothing for L1 when the filtered request itself found nothing."""
        if self.match is None:
            return "L1" if self.candidates else "L0"
        return "L0+L1" if self.candidates and self.l1_is_ok else "L0"

    def rank_score(self) -> float:
        l0 = self.match or self.near
        fused = max((c.score for c in (*self.candidates, *self.fallback)), default=0.0)
        return fused + self.overlap_weight * (l0.score if l0 else 0.0)


def merge_evidence(
    *,
    query: str,
    hints: L0Hints,
    l1: L1Outcome,
    entries: Mapping[str, Entry],
    rarity: Callable[[str], float],
    top_k: int,
    min_score: float | None,
    weights: Weights = WEIGHTS,
) -> tuple[tuple[EvidenceBlock, ...], Counts]:
    """The blocks, best first, at most `top_k`, and where every candidate went.

    While L1 is `ok`, near matches only add to the rank of what L1 found; otherwise they, and the
    full-text finds of a fallback, are evidence of L0. Candidates are dropped for the reasons
    `min_score` (cosine too low) and `top_k`. `rarity` weighs the query's words where L0 has to
    choose a passage of a note.
    """
    kept = [c for c in l1.candidates if not _too_low(c, min_score)]
    dropped: Counter[str] = Counter()
    if len(kept) < len(l1.candidates):
        dropped["min_score"] = len(l1.candidates) - len(kept)
    found = _collect(hints, kept, l1, weights.overlap_for(query))
    ranked = sorted(found, key=lambda s: (_demoted(found[s], l1), -found[s].rank_score(), s))
    for source in ranked[top_k:]:
        dropped["top_k"] += found[source].size
    rarities = {word: rarity(word) for word in content_words(query)}
    choose = partial(choose_passage, rarities=rarities, rarity=rarity)
    written = written_forms(query)
    blocks = tuple(_block(entries[s], found[s], hints, choose, written) for s in ranked[:top_k])
    merged = sum(found[source].size - 1 for source in ranked[:top_k])
    counts = Counts(
        candidate_count=len(blocks) + merged + sum(dropped.values()),
        merged=merged,
        dropped=dict(dropped),
        evidence_block_count=len(blocks),
    )
    return blocks, counts


def _too_low(candidate: Candidate, min_score: float | None) -> bool:
    return min_score is not None and candidate.cosine is not None and candidate.cosine < min_score


def _demoted(found: _Found, l1: L1Outcome) -> bool:
    """Relaxed hits stand behind L0's evidence when the filtered request itself found nothing."""
    return l1.status != "ok" and found.relaxed and found.match is None


def _collect(
    hints: L0Hints, kept: Sequence[Candidate], l1: L1Outcome, weight: float
) -> dict[str, _Found]:
    matches = {match.source: match for match in hints.matches}
    near = {match.source: match for match in hints.near_matches}
    candidates: defaultdict[str, list[Candidate]] = defaultdict(list)
    fallback: defaultdict[str, list[Candidate]] = defaultdict(list)
    for candidate in kept:
        candidates[candidate.source].append(candidate)
    for candidate in l1.extra:
        fallback[candidate.source].append(candidate)
    l1_is_ok = l1.status == "ok"
    sources = {*matches, *candidates, *fallback, *(() if l1_is_ok else near)}
    return {
        source: _Found(
            match=matches.get(source),
            near=near.get(source),
            l1_is_ok=l1_is_ok,
            candidates=tuple(candidates[source]),
            fallback=tuple(fallback[source]),
            overlap_weight=weight,
        )
        for source in sources
    }


def _block(
    entry: Entry,
    found: _Found,
    hints: L0Hints,
    choose: Callable[[Sequence[Passage]], Passage | None],
    written: Mapping[str, str],
) -> EvidenceBlock:
    by_id = {passage.id: passage for passage in entry.passages}
    scored = [c for c in (*found.candidates, *found.fallback) if c.passage_id in by_id]
    chosen = [by_id[c.passage_id] for c in _content(scored)]
    if not chosen:
        best = choose(entry.passages)
        chosen = [best] if best else []
    spans = {c.passage_id: _span(by_id[c.passage_id], c.cosine, chosen) for c in scored}
    for passage in chosen:
        spans.setdefault(passage.id, _span(passage, None, chosen))
    cosines = [c.cosine for c in found.candidates if c.cosine is not None]
    return EvidenceBlock(
        source=entry.source,
        title=entry.title,
        breadcrumb=chosen[0].breadcrumb if chosen else (entry.title,),
        retrieval_layer=found.layer,
        content=_join(chosen),
        rank_score=round(found.rank_score(), 6),
        score=_clip(max(cosines)) if cosines else None,
        hit_reasons=_reasons(entry, found, hints, by_id, written),
        passages=tuple(sorted(spans.values(), key=lambda span: (span.line_start, span.id))),
        category=entry.category,
        relaxed=found.relaxed,
    )


def _reasons(
    entry: Entry,
    found: _Found,
    hints: L0Hints,
    by_id: Mapping[str, Passage],
    written: Mapping[str, str],
) -> tuple[HitReason, ...]:
    reasons: list[HitReason] = []
    if found.match:
        reasons += l0_reasons(found.match, hints, entry)
    elif found.near:
        reasons.append(near_reason(found.near))
    reasons += l1_reasons(found.candidates, by_id, "L1", written)
    reasons += l1_reasons(found.fallback, by_id, "L0", written)
    return tuple(dict.fromkeys(reasons))


def _content(scored: Sequence[Candidate]) -> list[Candidate]:
    """The candidates whose text is shown: the best, and what is nearly as close as it."""
    best = max((c.cosine for c in scored if c.cosine is not None), default=0.0)
    near = [c for c in scored[1:] if c.cosine is None or c.cosine >= CONTENT_SHARE * best]
    return [*scored[:1], *near][:CONTENT_PASSAGES]


def _span(passage: Passage, cosine: float | None, chosen: Sequence[Passage]) -> PassageSpan:
    return PassageSpan(
        id=passage.id,
        breadcrumb=passage.breadcrumb,
        line_start=passage.line_start,
        line_end=passage.line_end,
        score=None if cosine is None else _clip(cosine),
        shown=passage in chosen,
    )


def _clip(cosine: float) -> float:
    return round(min(max(cosine, 0.0), 1.0), 6)


def _join(passages: Iterable[Passage]) -> str:
    """The passages' texts in reading order, with a mark where text between them is left out."""
    parts: list[str] = []
    last: int | None = None
    for passage in sorted(passages, key=lambda p: p.ordinal):
        if last is not None and passage.ordinal != last + 1:
            parts.append(GAP)
        parts.append(passage.text)
        last = passage.ordinal
    return "\n\n".join(parts)
