from collections.abc import Sequence
from typing import Any

from llama_index.core.vector_stores.types import MetadataFilters

from retrieval.semantic.filters import MAX_FIELDS, MAX_SLOTS, count_slots, to_filters, to_row
from retrieval.types import Condition, Entry

SLOTS = {"category": 1, "status": 1, "owner": 2, "team": 1}


def plain(filters: Any) -> Any:
    """A filter as nested tuples."""
    if isinstance(filters, MetadataFilters):
        condition = filters.condition
        return (condition.value if condition else None, [plain(f) for f in filters.filters])
    return (filters.key, filters.operator.value, filters.value)


def built(
    category: str | None,
    *conditions: Condition,
    category_slots: int = 1,
    admitted: Sequence[str] = (),
) -> Any:
    slots = {**SLOTS, "category": category_slots}
    filters = to_filters(category, conditions, slots=slots, resolve=lambda _: admitted)
    return None if filters is None else plain(filters)


def test_a_row_holds_folded_values_in_slots() -> None:
    entry = Entry(
        source="a/Note.md",
        title="A Note",
        keywords=("API-Key", " "),
        categories=("Billing ", "billing", "Cloud_Servers"),
        metadata={"status": "Draft", "Owners": ["Ops", "SRE"], "nested": {"x": "y"}, "empty": ""},
    )
    slots = count_slots([entry])
    assert slots == {"category": 2, "keywords": 1, "owners": 2, "status": 1, "title": 1}
    assert to_row(entry, slots) == {
        "source": "a/Note.md",
        "category": "billing",
        "category_2": "cloud servers",
        "field:keywords": "api key",
        "field:title": "a note",
        "field:status": "draft",
        "field:owners": "ops",
        "field:owners_2": "sre",
    }
    assert to_row(entry, {"category": 1}).keys() == {"source", "category", "category_2"}


def test_fields_with_many_values_and_rare_fields_are_not_stored() -> None:
    many = tuple(f"k{n}" for n in range(MAX_SLOTS + 1))
    rare = {f"field {n}": "x" for n in range(MAX_FIELDS)}
    entries = [
        Entry(source="a.md", title="A", keywords=many, metadata={**rare, "common": "x"}),
        Entry(source="b.md", title="B", metadata={"common": "x"}),
    ]
    slots = count_slots(entries)
    assert "keywords" not in slots
    assert len(slots) == 1 + MAX_FIELDS
    assert {"category", "common", "title"} <= slots.keys()
    assert count_slots([]) == {"category": 1}


def test_the_derived_category_is_one_plain_metadata_filter() -> None:
    assert built("Billing ") == ("and", [("category", "==", "billing")])


def test_notes_with_several_categories_are_asked_in_every_slot() -> None:
    assert built("Billing", category_slots=2) == (
        "and",
        [("or", [("category", "==", "billing"), ("category_2", "==", "billing")])],
    )


def test_conditions_stand_beside_the_category() -> None:
    conditions = [
        Condition(key="Status", op="in", values=("Live", "Draft", "live")),
        Condition(key="owner", op="nin", values=("Ops", "SRE")),
        Condition(key="owner", op="eq", values=("Dev",)),
        Condition(key="team", op="ne", values=("A",)),
    ]
    assert built("Billing", *conditions) == (
        "and",
        [
            ("category", "==", "billing"),
            ("field:status", "in", ["draft", "live"]),
            ("field:owner", "nin", ["ops", "sre"]),
            ("field:owner_2", "nin", ["ops", "sre"]),
            ("or", [("field:owner", "==", "dev"), ("field:owner_2", "==", "dev")]),
            ("field:team", "!=", "a"),
        ],
    )


def test_a_long_value_is_cut_on_both_sides() -> None:
    row = to_row(Entry(source="a.md", title="t", metadata={"team": "x" * 300}), SLOTS)
    condition = Condition(key="team", op="eq", values=("X" * 300,))
    assert row["field:team"] == "x" * 200
    assert built(None, condition) == ("and", [("field:team", "==", "x" * 200)])


def test_a_field_that_is_not_stored_is_resolved_to_sources() -> None:
    condition = Condition(key="source", op="eq", values=("A.md",))
    assert built(None, condition, admitted=["b.md", "a.md"]) == (
        "and",
        [("source", "in", ["a.md", "b.md"])],
    )
    assert built(None, condition) == ("and", [("source", "in", [""])])


def test_no_limit_is_no_filter() -> None:
    assert built(None) is None
    assert built(None, Condition(key="status", op="in", values=())) is None
