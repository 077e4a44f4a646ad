"""The stages from the caller's filter on, each as it was for one note. Pure."""

from collections.abc import Iterator, Sequence
from typing import Any

from retrieval.filtering import admits, field_values, is_within
from retrieval.serialize import SNIPPET
from retrieval.types import Condition, Entry
from retrieval.why.derived import derived_filter_stage
from retrieval.why.following import Followed, best_cosine
from retrieval.why.terms import missing_words, nearest_miss
from retrieval.why.types import Stage, StageName, StageState

Facts = dict[str, Any]
_RELATIONS = {"eq": "is", "ne": "is not", "in": "is one of", "nin": "is none of"}


def caller_filter_stage(entry: Entry, conditions: Sequence[Condition]) -> Stage:
    """Whether the caller's own filters admit the note, and the first condition that does not.

    Of what the note has, only its category is told: any other field may hold text of the note.
    """
    if not conditions:
        return _stage("caller_filter", "skipped", "The caller states no filter.")
    for condition in conditions:
        if admits(entry, [condition]):
            continue
        wanted = f"{condition.key} {_RELATIONS[condition.op]} {', '.join(condition.values)}"
        values = field_values(entry, condition.key)
        facts: Facts = {
            "key": condition.key,
            "op": condition.op,
            "has_field": bool(values),
        }
        facts["values"] = list(condition.values)
        has = "it has another value" if values else "it has no such field"
        if condition.key == "category":
            facts["note_values"] = list(values)
            has = f"its category is {', '.join(values)}" if values else "it has no category"
        if condition.op in ("ne", "nin"):
            has = "it has that value"
        text = f"The caller's filter excludes it: {wanted}, and {has}."
        return _stage("caller_filter", "lost", text, **facts)
    return _stage("caller_filter", "passed", "It satisfies the caller's filter.")


def follow(note: Followed) -> Iterator[Stage]:
    """The stages from L0 on, in flow order; one is `lost`, unless the answer has the note."""
    lost = _losing_stage(note)
    yield _l0_stage(note, lost=lost == "l0")
    yield derived_filter_stage(note, lost=lost == "derived_filter")
    if lost == "derived_filter":
        return
    yield _l1_stage(note, lost=lost == "l1")
    if lost in ("l0", "l1"):
        return
    yield _min_score_stage(note, lost=lost == "min_score")
    if lost == "min_score":
        return
    yield _top_k_stage(note, lost=lost == "top_k")
    if lost != "top_k":
        yield _budget_stage(note, lost=lost == "budget")


def _losing_stage(note: Followed) -> StageName | None:
    source, l1 = note.entry.source, note.full.l1
    if source in {block.source for block in note.answer.evidence_blocks}:
        return None
    if note.rank is not None:
        return "top_k" if note.rank > note.options.top_k else "budget"
    if note.candidates:
        return "min_score"
    category = note.full.filter.category
    if not l1.attempted or l1.status in ("failed", "timeout"):
        return "l0"
    if category is not None and not is_within(note.entry, category):
        return "derived_filter"
    return "l1"


def _l0_stage(note: Followed, *, lost: bool) -> Stage:
    if note.options.mode == "l1":
        return _stage("l0", "skipped", "L0 was not asked: the mode is l1.")
    hints, own = note.full.l0_hints, note.own
    rank = next((n for n, m in enumerate(hints.matches, 1) if m.source == note.entry.source), None)
    words = missing_words(note.full.query, note.entry)
    if own.matches:
        hits = [{"term": hit.term, "field": hit.field} for hit in own.matches[0].hits]
        named = ", ".join(f"{hit['field']} '{hit['term']}'" for hit in hits)
        facts: Facts = {"rank": rank, "matches": hints.matches_total, "hits": hits}
        if rank is None:
            text = f"It is a match ({named}), but not among the {len(hints.matches)} best of them."
            return _stage("l0", "lost" if lost else "missed", text, **facts)
        text = f"It is match {rank} of {hints.matches_total}: {named}."
        return _stage("l0", "passed", text, **facts)
    miss = nearest_miss(note.full.query, note.entry, note.view.l0)
    text = "It is no keyword match"
    facts = {"missing_words": list(words), "near_score": None}
    if miss is not None:
        facts["nearest"] = {
            "term": miss.term,
            "field": miss.field,
            "kind": miss.kind,
            "reason": miss.text,
        }
        text += f"; the {miss.field} '{miss.term}' comes nearest: {miss.text}"
    elif words:
        text += f": no title, keyword or entity of it holds {_listed(words)}"
    if own.near_matches:
        facts["near_score"] = own.near_matches[0].score
    reason = _silence(note) if lost else ""
    return _stage("l0", "lost" if lost else "missed", f"{text}{reason}.", **facts)


def _silence(note: Followed) -> str:
    """Why nothing but L0 could have brought the note in."""
    l1 = note.full.l1
    if l1.status == "disabled":
        return "; L1 is switched off"
    return f"; L1 could not help, its status is {l1.status}"


def _l1_stage(note: Followed, *, lost: bool) -> Stage:
    l1, candidates = note.full.l1, note.candidates or note.extra
    if l1.status in ("disabled", "not_ready", "failed", "timeout") and not candidates:
        error = f": {l1.error.message}" if l1.error else "."
        facts: Facts = {"status": l1.status, "code": l1.error.code if l1.error else None}
        return _stage(
            "l1", "missed" if l1.attempted else "skipped", f"L1 is {l1.status}{error}", **facts
        )
    pool = l1.extra if note.extra and not note.candidates else l1.candidates
    sources = list(dict.fromkeys(candidate.source for candidate in pool))
    facts = {
        "status": l1.status,
        "notes": len(sources),
        "rank": None,
        "cosine": note.cosine,
        "passages": len(candidates),
    }
    if not candidates:
        near = f" Its best passage has cosine {note.cosine:.2f}." if note.cosine is not None else ""
        lowest = min((c.cosine for c in pool if c.cosine is not None), default=None)
        facts["lowest_cosine"] = lowest
        least = f" The lowest of them has {lowest:.2f}." if near and lowest is not None else ""
        text = (
            f"L1 found {len(pool)} passages of {len(sources)} notes, and none of it.{near}{least}"
        )
        return _stage("l1", "lost" if lost else "missed", text, **facts)
    dense = min((c.dense_rank for c in candidates if c.dense_rank), default=None)
    words = min((c.fulltext_rank for c in candidates if c.fulltext_rank), default=None)
    rank = sources.index(note.entry.source) + 1
    facts |= {
        "rank": rank,
        "score": candidates[0].score,
        "dense_rank": dense,
        "fulltext_rank": words,
        "terms": sorted({term for c in candidates for term in c.terms}),
    }
    parts = [f"cosine {note.cosine:.2f}"] if note.cosine is not None else []
    parts += [f"passage {dense} of the nearest"] if dense else []
    parts += [f"passage {words} by full text"] if words else []
    layer = "L1" if note.candidates else "Full text, for the fallback,"
    text = f"{layer} ranks it {rank} of {len(sources)} notes: {', '.join(parts) or 'by its words'}."
    return _stage("l1", "passed", text, **facts)


def _min_score_stage(note: Followed, *, lost: bool) -> Stage:
    least, best = note.options.min_score, best_cosine(note.candidates)
    if least is None:
        return _stage("min_score", "skipped", "No least cosine is set.")
    facts: Facts = {"min_score": least, "cosine": best}
    if best is None or best >= least:
        text = (
            "No cosine of it was compared." if best is None else f"Its cosine {best:.2f} is enough."
        )
        return _stage("min_score", "passed", text, **facts)
    text = f"Its best cosine {best:.3f} is below the min_score {least:g}"
    tail = "." if lost else "; its words keep it in."
    return _stage("min_score", "lost" if lost else "missed", text + tail, **facts)


def _top_k_stage(note: Followed, *, lost: bool) -> Stage:
    top_k, rank = note.options.top_k, note.rank or 0
    block = note.ranking[rank - 1]
    facts: Facts = {
        "rank": rank,
        "notes": len(note.ranking),
        "top_k": top_k,
        "rank_score": block.rank_score,
    }
    text = f"It is at rank {rank} of {len(note.ranking)} by the merged score {block.rank_score:.2f}"
    if not lost:
        return _stage("top_k", "passed", f"{text}; the answer takes {top_k}.", **facts)
    last = note.ranking[top_k - 1]
    facts |= {"last_source": last.source, "last_rank_score": last.rank_score}
    text += f"; the answer takes {top_k}, and the last, {last.source}, has {last.rank_score:.2f}."
    return _stage("top_k", "lost", text, **facts)


def _budget_stage(note: Followed, *, lost: bool) -> Stage:
    budget, rank = note.options.budget, note.rank or 0
    block = next((b for b in note.answer.evidence_blocks if b.source == note.entry.source), None)
    facts: Facts = {
        "budget": budget,
        "rank": rank,
        "trimmed": bool(block and block.trimmed),
    }
    if lost:
        text = f"At rank {rank} it does not fit into the budget of {budget} tokens."
        return _stage("budget", "lost", text, **facts)
    shown = sum(span.shown for span in block.passages) if block else 0
    facts["passages"] = len(block.passages) if block else 0
    facts["passages_shown"] = shown
    facts["snippet"] = bool(block and rank > 1 and len(block.content) > SNIPPET)
    text = f"One block stands for its {facts['passages']} matched passages; it shows {shown}"
    text += ", trimmed to fit the budget." if facts["trimmed"] else "."
    if facts["snippet"]:
        text += f" In `supplement` its text is cut to {SNIPPET} characters."
    return _stage("budget", "passed", text, **facts)


def _listed(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in words[:6])


def _stage(name: StageName, state: StageState, text: str, **facts: Any) -> Stage:
    return Stage(name=name, state=state, text=text, facts=facts)
