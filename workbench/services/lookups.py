"""Lookups as the Query page asks them, and what its controls may offer."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from retrieval import lookup_knowledge
from retrieval.faults import Fault
from retrieval.filtering import field_values, filter_keys
from retrieval.knowledge_base import KnowledgeBase
from retrieval.settings import LookupSection
from retrieval.text import fold, is_blank
from retrieval.types import Entry, FilterMode, L1Mode, LookupMode, LookupResult

CALLER = "workbench"
VALUES_OFFERED = 400
"""A field with more distinct values than this names notes rather than groups them."""

Filters = Mapping[str, tuple[str, ...]]
"""Field → values, one of which a note must have; all fields must hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupChoice:
    """The settings of one lookup, all of them said."""

    mode: LookupMode = "l0+l1"
    filter_mode: FilterMode = "auto"
    l1_mode: L1Mode = "hybrid"
    top_k: int = 8
    min_score: float | None = None
    fault: Fault | None = None
    filters: Filters = field(default_factory=dict)

    def arguments(self) -> dict[str, Any]:
        """The arguments of `lookup_knowledge`; those without effect are left out."""
        found: dict[str, Any] = {
            "mode": self.mode,
            "filter_mode": self.filter_mode,
            "l1_mode": self.l1_mode,
            "top_k": self.top_k,
        }
        if self.min_score is not None:
            found["min_score"] = self.min_score
        if self.filters:
            found["filters"] = {
                key: values[0] if len(values) == 1 else list(values)
                for key, values in self.filters.items()
            }
        if self.fault is not None:
            found["fault"] = self.fault
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterValue:
    """A value that a caller may filter on."""

    key: str
    value: str
    notes: int
    """Notes that have it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterOffer:
    """What the notes can be filtered on."""

    values: tuple[FilterValue, ...]
    left_out: tuple[str, ...]
    """Fields with too many values to choose from."""


def default_choice(section: LookupSection) -> LookupChoice:
    """The choice that the settings make."""
    return LookupChoice(
        mode=section.mode,
        filter_mode=section.filter_mode,
        l1_mode=section.l1_mode,
        top_k=section.top_k,
        min_score=section.min_score,
    )


def look_up(base: KnowledgeBase, query: str, choice: LookupChoice, *, session: str) -> LookupResult:
    """One recorded lookup, by the same function that agents call."""
    return lookup_knowledge(query, kb=base, caller=CALLER, session_id=session, **choice.arguments())


def offer_filters(entries: Sequence[Entry]) -> FilterOffer:
    """Fields and values of these notes, categories first; spellings that fold alike are one."""
    values, left_out = [], []
    keys = sorted(filter_keys(entries) - {"title", "source"}, key=lambda k: (k != "category", k))
    for key in keys:
        counts: Counter[str] = Counter()
        written: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for entry in entries:
            for value in {fold(v): v for v in field_values(entry, key) if v.strip()}.values():
                counts[fold(value)] += 1
                written[fold(value)][value] += 1
        if len(counts) > VALUES_OFFERED:
            left_out.append(key)
            continue
        values += [
            FilterValue(key=key, value=written[folded].most_common(1)[0][0], notes=count)
            for folded, count in sorted(counts.items())
        ]
    return FilterOffer(values=tuple(values), left_out=tuple(left_out))


def titles_of(base: KnowledgeBase) -> dict[str, str]:
    """Source → title of every note, by source."""
    return {entry.source: entry.title for entry in base.entries}


def example_queries(entries: Sequence[Entry], number: int) -> tuple[str, ...]:
    """Titles of notes to try, at most `number`: of different categories as far as there are."""
    first = {entry.categories[:1]: entry.title for entry in reversed(entries)}
    titles = dict.fromkeys([*reversed(first.values()), *(entry.title for entry in entries)])
    return tuple(title for title in titles if not is_blank(title))[:number]
