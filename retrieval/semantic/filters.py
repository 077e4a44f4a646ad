"""What a passage's row says about its note, and filters on it as LlamaIndex `MetadataFilters`.

A row has the note's `source`, and the folded values of its fields in slots: `category`,
`category_2`, … and `field:status`, `field:status_2`, … for the rest, because Chroma compares
single values only. Only fields with few values are stored: every request becomes slower with
each distinct key of a collection (measured: 13 ms with 4,000 keys). A condition on another field
is resolved to the sources that it admits.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from retrieval.filtering import field_values
from retrieval.text import fold
from retrieval.types import Condition, Entry

if TYPE_CHECKING:
    from llama_index.core.vector_stores.types import MetadataFilters

Row = dict[str, str]
Resolve = Callable[[Condition], Collection[str]]
"""The sources of the notes that a condition admits."""

VALUE_LENGTH = 200
"""Characters of a folded value that count: filters are not for prose."""
MAX_SLOTS = 16
"""Values of one note in a field that is stored; the category always is."""
MAX_FIELDS = 40
"""Fields that are stored, the most used first."""


def count_slots(entries: Iterable[Entry]) -> dict[str, int]:
    """The fields to store and the most values that a note has in each; `category` is always one."""
    most: Counter[str] = Counter()
    notes: Counter[str] = Counter()
    for entry in entries:
        for key, values in _fields(entry).items():
            most[key] = max(most[key], len(values))
            notes[key] += 1
    kept = [key for key, _ in notes.most_common() if most[key] <= MAX_SLOTS]
    return {"category": max(1, most["category"])} | {
        key: most[key] for key in sorted(kept[:MAX_FIELDS]) if key != "category"
    }


def to_row(entry: Entry, slots: Mapping[str, int]) -> Row:
    """The metadata of the note's passages, for the fields that `slots` names."""
    row: Row = {"source": entry.source}
    for key, values in _fields(entry).items():
        if key in slots:
            row.update(zip(_slot_keys(key, len(values)), values, strict=True))
    return row


def field_names(entries: Iterable[Entry]) -> set[str]:
    """The folded names of all fields that these notes have."""
    return {key for entry in entries for key in _fields(entry)}


def to_filters(
    category: str | None,
    conditions: Sequence[Condition],
    *,
    slots: Mapping[str, int],
    resolve: Resolve,
) -> "MetadataFilters | None":
    """The filter of a request: the category, if any, and every condition; None for no limit.

    Texts are compared folded. A condition without values is no condition.
    """
    from llama_index.core.vector_stores.types import (
        FilterCondition,
        FilterOperator,
        MetadataFilter,
        MetadataFilters,
    )

    def compare(key: str, values: Collection[str], *, negated: bool) -> None:
        """Adds: one of the key's slots holds one of the values; negated: none does."""
        wanted = sorted({_cut(value) for value in values})
        operator = FilterOperator.NIN if negated else FilterOperator.IN
        value: str | list[str] = wanted
        if len(wanted) == 1:
            operator = FilterOperator.NE if negated else FilterOperator.EQ
            value = wanted[0]
        # Chroma's $ne and $nin hold for a row without the key, which is what is meant.
        found: list[MetadataFilter | MetadataFilters] = [
            MetadataFilter(key=slot, operator=operator, value=value)
            for slot in _slot_keys(key, slots.get(key, 1))
        ]
        if negated or len(found) == 1:
            parts.extend(found)
        else:
            parts.append(MetadataFilters(filters=found, condition=FilterCondition.OR))

    parts: list[MetadataFilter | MetadataFilters] = []
    if category is not None:
        compare("category", [category], negated=False)
    for condition in conditions:
        if not condition.values:
            continue
        if (key := fold(condition.key)) in slots:
            compare(key, condition.values, negated=condition.op in ("ne", "nin"))
        else:
            # No note has the source "": nothing is admitted then.
            sources = sorted(resolve(condition)) or [""]
            parts.append(MetadataFilter(key="source", operator=FilterOperator.IN, value=sources))
    return MetadataFilters(filters=parts, condition=FilterCondition.AND) if parts else None


def _fields(entry: Entry) -> dict[str, list[str]]:
    """Folded field → its folded values without blanks and repeats; not the source."""
    found: dict[str, dict[str, None]] = {}
    for key in ("category", "keywords", "title", *entry.metadata):
        values = {_cut(value): None for value in field_values(entry, key)}
        values.pop("", None)
        if values and (name := fold(key)) != "source":
            found.setdefault(name, {}).update(values)
    return {key: list(values) for key, values in found.items()}


def _slot_keys(key: str, number: int) -> list[str]:
    # Folding leaves no underscore in a key, so a slot is never the name of another field.
    name = key if key == "category" else f"field:{key}"
    return [name, *(f"{name}_{n}" for n in range(2, number + 1))][:number]


def _cut(value: str) -> str:
    return fold(value)[:VALUE_LENGTH]
