from typing import Any

from llama_index.core.vector_stores.types import MetadataFilters

from retrieval.semantic.filters import to_filters, to_row
from retrieval.types import Condition, Entry


def plain(filters: Any) -> Any:
    """A filter as nested tuples."""
    if isinstance(filters, MetadataFilters):
        condition = filters.condition
        return (condition.value if condition else None, [plain(f) for f in filters.filters])
    return (filters.key, filters.operator.value, filters.value)


def test_a_row_holds_folded_categories_and_a_key_for_each_value() -> None:
    entry = Entry(
        source="a/Note.md",
        title="A Note",
        keywords=("API-Key", " "),
        categories=("Billing ", "billing", "Cloud_Servers"),
        metadata={"status": "Draft", "owners": ["Ops", "SRE"], "nested": {"x": "y"}, "empty": ""},
    )
    assert to_row(entry) == {
        "source": "a/Note.md",
        "category": "billing",
        "category_2": "cloud servers",
        "field:category=billing": 1,
        "field:category=cloud servers": 1,
        "field:keywords=api key": 1,
        "field:source=a/note.md": 1,
        "field:title=a note": 1,
        "field:status=draft": 1,
        "field:owners=ops": 1,
        "field:owners=sre": 1,
    }


def test_a_long_value_is_cut_on_both_sides() -> None:
    row = to_row(Entry(source="a.md", title="t", metadata={"note": "x" * 300}))
    condition = Condition(key="note", op="eq", values=("X" * 300,))
    filters = to_filters(None, [condition], category_slots=1)
    assert filters is not None
    assert plain(filters) == ("and", [("field:note=" + "x" * 200, "==", 1)])
    assert "field:note=" + "x" * 200 in row


def test_the_derived_category_is_one_plain_metadata_filter() -> None:
    assert plain(to_filters("Billing ", [], category_slots=1)) == (
        "and",
        [("category", "==", "billing")],
    )
    assert plain(to_filters("Billing", [], category_slots=0)) == (
        "and",
        [("category", "==", "billing")],
    )


def test_notes_with_several_categories_are_asked_in_every_slot() -> None:
    assert plain(to_filters("Billing", [], category_slots=2)) == (
        "and",
        [("or", [("category", "==", "billing"), ("category_2", "==", "billing")])],
    )


def test_conditions_stand_beside_the_category() -> None:
    conditions = [
        Condition(key="Status", op="in", values=("Live", "Draft", "live")),
        Condition(key="owner", op="nin", values=("Ops", "SRE")),
        Condition(key="team", op="ne", values=("A",)),
    ]
    assert plain(to_filters("Billing", conditions, category_slots=1)) == (
        "and",
        [
            ("category", "==", "billing"),
            ("or", [("field:status=live", "==", 1), ("field:status=draft", "==", 1)]),
            ("field:owner=ops", "!=", 1),
            ("field:owner=sre", "!=", 1),
            ("field:team=a", "!=", 1),
        ],
    )


def test_no_limit_is_no_filter() -> None:
    assert to_filters(None, [], category_slots=3) is None
    empty = Condition(key="status", op="in", values=())
    assert to_filters(None, [empty], category_slots=3) is None
