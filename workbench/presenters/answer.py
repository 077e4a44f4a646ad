"""The head of an answer: outcome, layer, how well it is supported; and its way in numbers."""

from markupsafe import Markup

from retrieval.types import LookupResult
from workbench.presenters.markup import chip, joined, tag
from workbench.presenters.numbers import decimal, timings

_OUTCOMES = {
    "evidence": ("Evidence", "good"),
    "fallback": ("Fallback: L0 answers alone", "warn"),
    "no_evidence": ("No evidence", "warn"),
    "refused": ("Refused", "bad"),
    "error": ("Error", "bad"),
}
_LEVELS = {"strong": "good", "moderate": "accent", "weak": "warn", "lexical_only": "warn"}
_L1 = {
    "ok": "L1 answered",
    "empty": "L1 found nothing",
    "failed": "L1 failed",
    "timeout": "L1 timed out",
    "disabled": "L1 was not asked",
    "not_ready": "L1 is not ready",
}
_DROPPED = {
    "min_score": "below the least score",
    "top_k": "beyond top k",
    "unknown_source": "note is gone",
}


def present_head(result: LookupResult) -> Markup:
    """Chips for outcome, layer and relevance, and the sentence that explains the relevance."""
    relevance = result.relevance
    word, tone = _OUTCOMES[result.outcome]
    if tone == "good" and _LEVELS.get(relevance.level) == "warn":
        tone = ""  # there are notes, but green would say that they are good
    chips = [chip(word, tone=tone)]
    if result.retrieval_layer:
        chips.append(chip(result.retrieval_layer))
    if result.evidence_blocks:
        level = relevance.level.replace("_", " ")
        chips.append(
            chip(
                f"{level} · {decimal(relevance.confidence)}",
                tone=_LEVELS.get(relevance.level, ""),
                title="relevance level and confidence",
            )
        )
        chips.append(
            chip(
                "supported by meaning" if relevance.semantic_support else "no semantic support",
                tone="" if relevance.semantic_support else "warn",
            )
        )
    chips.append(
        chip(_L1[result.l1.status], tone="" if result.l1.status in ("ok", "disabled") else "warn")
    )
    reason = "" if result.error else relevance.reason
    return tag("div", tag("div", joined(chips)), tag("p", reason, css="kw-muted"), css="kw-head")


def present_flow(result: LookupResult) -> Markup:
    """Candidates → merged → dropped by reason → blocks."""
    counts = result.counts
    steps = [
        (str(counts.candidate_count), "candidates", "notes of L0 and passages of L1"),
        (
            f"−{counts.merged}" if counts.merged else "0",
            "merged",
            "further finds of the same notes",
        ),
        *(
            (f"−{number}", _DROPPED.get(reason, reason.replace("_", " ")), "dropped")
            for reason, number in counts.dropped.items()
            if number
        ),
        (str(counts.evidence_block_count), "blocks", "one for each note"),
    ]
    cells = [
        tag("div", tag("b", value), tag("span", name), css="kw-step", title=title)
        for value, name, title in steps
    ]
    return tag("div", joined(cells, tag("i", "\u2192")), css="kw-flow")


def present_timings(result: LookupResult) -> Markup:
    """What each stage took."""
    cells = [tag("span", f"{name} ", tag("b", value)) for name, value in timings(result.timings_ms)]
    return tag("div", joined(cells), css="kw-times")
