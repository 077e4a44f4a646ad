"""Why a note is evidence, in words for people and fields for programs. Pure."""

from collections.abc import Mapping, Sequence
from typing import Literal

from retrieval.filtering import is_within
from retrieval.types import Candidate, Entry, HitReason, L0Hints, L0Match, NearMatch, Passage


def l0_reasons(match: L0Match, hints: L0Hints, entry: Entry) -> list[HitReason]:
    """One reason for each term of the note that stands in the query, and its category's name."""
    named = [hit for hit in hints.category_hits if is_within(entry, hit.term)]
    return [
        HitReason(
            kind=hit.field,
            text=f"{hit.field} '{hit.term}' stands in the query",
            layer="L0",
            term=hit.term,
            start=hit.start,
            end=hit.end,
        )
        for hit in (*match.hits, *named)
    ]


def near_reason(near: NearMatch) -> HitReason:
    """The reason of a note that shares words with the query but is no match."""
    return HitReason(kind="near", text=near.reason, layer="L0", score=near.score)


def l1_reasons(
    candidates: Sequence[Candidate],
    passages: Mapping[str, Passage],
    layer: Literal["L0", "L1"],
    written: Mapping[str, str],
) -> list[HitReason]:
    """The best cosine and the best BM25 among the note's passages, each with its rank.

    `written` gives the query's own form of a stem.
    """
    reasons: list[HitReason] = []
    close = [c for c in candidates if c.cosine is not None]
    if close:
        best = max(close, key=lambda c: c.cosine or 0.0)
        cosine = best.cosine or 0.0
        rank = f", rank {best.dense_rank}" if best.dense_rank else ""
        reasons.append(
            HitReason(
                kind="semantic",
                text=f"{_place(passages, best)} is close in meaning (cosine {cosine:.2f}{rank})",
                layer=layer,
                score=round(cosine, 6),
                rank=best.dense_rank,
            )
        )
    worded = [c for c in candidates if c.fulltext_score is not None]
    if worded:
        best = max(worded, key=lambda c: c.fulltext_score or 0.0)
        score = best.fulltext_score or 0.0
        terms = [written.get(term, term) for term in best.terms]
        reasons.append(
            HitReason(
                kind="fulltext",
                text=f"{_place(passages, best)} holds {_listed(terms)} "
                f"(BM25 {score:.2f}, rank {best.fulltext_rank})",
                layer=layer,
                score=round(score, 6),
                rank=best.fulltext_rank,
                terms=best.terms,
            )
        )
    return reasons


def _place(passages: Mapping[str, Passage], candidate: Candidate) -> str:
    passage = passages.get(candidate.passage_id)
    if passage is None:
        return "a passage"
    return f"'{passage.breadcrumb[-1]}' (lines {passage.line_start}-{passage.line_end})"


def _listed(terms: Sequence[str]) -> str:
    shown = ", ".join(f"'{term}'" for term in terms[:8])
    return shown + (", …" if len(terms) > 8 else "")
