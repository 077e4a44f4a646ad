"""The filter decision in sentences, and what the request without it would have found."""

from collections.abc import Mapping

from markupsafe import Markup

from retrieval.types import Condition, LookupResult, Shadow
from workbench.presenters.markup import joined, tag
from workbench.presenters.numbers import counted, decimal, ordinal

_RELATIONS = {"eq": "is", "ne": "is not", "in": "is one of", "nin": "is none of"}


def present_decision(result: LookupResult, titles: Mapping[str, str]) -> Markup:
    """What L1 was limited to, why, and what that cost; `titles` gives each source's title."""
    decision, shadow = result.filter, result.l1.shadow
    parts = [tag("p", _headline(result), css="kw-strong"), tag("p", decision.reason)]
    for condition in decision.conditions:
        parts.append(tag("p", f"You asked for notes whose {_condition(condition)}."))
    if decision.category is not None:
        parts.append(tag("p", _cost(result, shadow, titles)))
    return joined(parts)


def _headline(result: LookupResult) -> str:
    decision = result.filter
    if decision.category is not None and not result.l1.attempted:
        return f"L1 would be limited to {decision.category}; it was not asked"
    if decision.category is not None:
        return f"L1 is limited to {decision.category}"
    if decision.conditions:
        return "Only your own filters apply"
    return "L1 searches all notes"


def _condition(condition: Condition) -> str:
    values = ", ".join(f"\u2018{value}\u2019" for value in condition.values)
    return f"{condition.key} {_RELATIONS[condition.op]} {values}"


def _cost(result: LookupResult, shadow: Shadow | None, titles: Mapping[str, str]) -> str:
    if shadow is None:
        if result.filter.mode == "strict":
            return "In strict mode nobody asks what the filter costs."
        return "What the filter costs is not known: there was no request without it."
    source = shadow.best_source_outside
    if source is None:
        return "Without the filter, the same notes would be found: it costs nothing here."
    rank = ordinal(shadow.best_rank_outside) if shadow.best_rank_outside else "somewhere"
    name = f"\u2018{titles.get(source, source)}\u2019"
    said = f"Without the filter, {name} would be {rank}"
    if shadow.best_cosine_outside is not None:
        said += (
            f" (cosine {decimal(shadow.best_cosine_outside)}; best inside "
            f"{decimal(shadow.best_cosine_inside)})"
        )
    let_in = {block.source for block in result.evidence_blocks if block.relaxed}
    if source in let_in:
        others = len(let_in) - 1
        more = f", with {counted(others, 'other')}" if others else ""
        return f"{said}. It was let in past the filter{more}."
    if let_in:
        return f"{said}. {counted(len(let_in), 'other note')} came in past the filter."
    return f"{said}. It stays out."
