"""What a passage's row says about its note, and filters on it as LlamaIndex `MetadataFilters`.

A row has `source`, `category` and, for a note with several, `category_2` and so on; categories are
folded. Each value of a filterable field is also a key of its own, such as `field:status=draft`,
with the value 1: Chroma compares single values only, and this filters lists of any length exactly.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from retrieval.filtering import field_values
from retrieval.text import fold
from retrieval.types import Condition, Entry

if TYPE_CHECKING:
    from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters

Row = dict[str, str | int]

VALUE_LENGTH = 200
"""Characters of a folded value that count: filters are not for prose."""
_FIELDS = ("category", "keywords", "source", "title")


def to_row(entry: Entry) -> Row:
    """The metadata of the note's passages; blank values are left out."""
    row: Row = {"source": entry.source}
    categories = folded_categories(entry)
    row.update(zip(_slots(len(categories)), categories, strict=True))
    for key in (*_FIELDS, *entry.metadata):
        for value in field_values(entry, key):
            if fold(value):
                row[_value_key(key, value)] = 1
    return row


def folded_categories(entry: Entry) -> list[str]:
    """The note's categories, folded and cut, without blanks and repeats."""
    folded = (fold(category)[:VALUE_LENGTH] for category in entry.categories)
    return [category for category in dict.fromkeys(folded) if category]


def to_filters(
    category: str | None, conditions: Sequence[Condition], *, category_slots: int
) -> "MetadataFilters | None":
    """The filter of a request: the category, if any, and every condition; None for no limit.

    `category_slots` is the largest number of categories that a note of the index has. Texts are
    compared folded. A condition without values is no condition.
    """
    from llama_index.core.vector_stores.types import (
        FilterCondition,
        FilterOperator,
        MetadataFilter,
        MetadataFilters,
    )

    def any_of(parts: "list[MetadataFilter]") -> "MetadataFilter | MetadataFilters":
        if len(parts) == 1:
            return parts[0]
        return MetadataFilters(filters=list(parts), condition=FilterCondition.OR)

    parts: list[MetadataFilter | MetadataFilters] = []
    if category is not None:
        wanted = fold(category)[:VALUE_LENGTH]
        slots = _slots(max(1, category_slots))
        parts.append(any_of([MetadataFilter(key=slot, value=wanted) for slot in slots]))
    for condition in conditions:
        keys = list(dict.fromkeys(_value_key(condition.key, v) for v in condition.values))
        if condition.op in ("ne", "nin"):
            # Chroma's $ne holds for a row without the key, which is what is meant.
            differs = FilterOperator.NE
            parts.extend(MetadataFilter(key=key, value=1, operator=differs) for key in keys)
        elif keys:
            parts.append(any_of([MetadataFilter(key=key, value=1) for key in keys]))
    return MetadataFilters(filters=parts, condition=FilterCondition.AND) if parts else None


def _slots(number: int) -> list[str]:
    return ["category", *(f"category_{n}" for n in range(2, number + 1))][:number]


def _value_key(key: str, value: str) -> str:
    return f"field:{fold(key)}={fold(value)[:VALUE_LENGTH]}"
