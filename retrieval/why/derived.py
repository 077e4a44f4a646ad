"""The stage of the filter that L0's hints derived, as it was for one note. Pure."""

from typing import Any

from retrieval.filtering import is_within
from retrieval.types import L0Hints
from retrieval.why.following import Followed
from retrieval.why.types import Stage, StageState


def derived_filter_stage(note: Followed, *, lost: bool) -> Stage:
    """Whether the derived category let the note pass, who derived it, and what it lacked."""
    decision, l1 = note.full.filter, note.full.l1
    category = decision.category
    if category is None:
        return _stage("skipped", decision.reason, mode=decision.mode)
    cause = name_cause(note.full.l0_hints, category)
    facts: dict[str, Any] = {
        "mode": decision.mode,
        "category": category,
        "note_categories": list(note.entry.categories),
        "cause": cause,
    }
    if is_within(note.entry, category):
        return _stage("passed", f"It is in the derived category '{category}'.", **facts)
    if not l1.attempted:
        return _stage("skipped", f"'{category}' limits L1 only, which was not asked.", **facts)
    outside = f"It is outside the derived category '{category}'{f' ({cause})' if cause else ''}"
    inside = [c.cosine for c in l1.candidates if not c.relaxed and c.dense_rank and c.cosine]
    best = max(inside, default=None)
    facts |= {
        "cosine": note.cosine,
        "best_cosine_inside": best,
        "relax_margin": note.options.relax_margin,
        "semantic_floor": note.view.semantic_floor,
    }
    if any(candidate.relaxed for candidate in note.candidates):
        how = f", and was let past it by its cosine {note.cosine:.2f}" if note.cosine else ""
        return _stage("passed", f"{outside}{how}.", relaxed=True, **facts)
    state: StageState = "lost" if lost else "missed"
    return _stage(state, f"{outside}{_refusal(note, best)}.", relaxed=False, **facts)


def name_cause(hints: L0Hints, category: str) -> str | None:
    """The term that brought the category in: `keyword 'refund window' of billing/refunds.md`."""
    for match in hints.matches:
        if match.hits and category.casefold() in {c.casefold() for c in match.categories}:
            hit = match.hits[0]
            return f"{hit.field} '{hit.term}' of {match.source}"
    named = next(iter(hints.category_hits), None)
    return f"the query names the category '{named.term}'" if named else None


def _refusal(note: Followed, best: float | None) -> str:
    """Why the filter was not relaxed for the note, as the rest of a sentence."""
    own, floor, margin = note.cosine, note.view.semantic_floor, note.options.relax_margin
    if note.full.filter.mode == "strict":
        return ", and strict lets nothing past it"
    if own is None:
        return ", and no cosine speaks for letting it past"
    if own < floor:
        return f"; its cosine {own:.2f} is below the floor of {floor:.2f} for letting it past"
    if best is not None and own < best - margin:
        return (
            f"; its cosine {own:.2f} trails the best inside, {best:.2f}, by {best - own:.2f}, "
            f"more than the margin of {margin:g}"
        )
    return f"; its cosine {own:.2f} would do, but too many passages are nearer"


def _stage(state: StageState, text: str, **facts: Any) -> Stage:
    return Stage(name="derived_filter", state=state, text=text, facts=facts)
