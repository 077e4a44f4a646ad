"""Filters that the notes offer, and the arguments of a choice."""

from retrieval.types import Entry
from workbench.services.lookups import VALUES_OFFERED, FilterValue, LookupChoice, offer_filters


def entry(number: int, **fields: object) -> Entry:
    return Entry(source=f"{number}.md", title=str(number), **fields)  # type: ignore[arg-type]


def test_categories_come_first_and_spellings_are_one() -> None:
    offer = offer_filters(
        [
            entry(1, categories=("Billing",), metadata={"area": "x"}),
            entry(2, categories=("Billing",)),
            entry(3, categories=("billing ", "network")),
        ]
    )
    assert offer.values == (
        FilterValue(key="category", value="Billing", notes=3),
        FilterValue(key="category", value="network", notes=1),
        FilterValue(key="area", value="x", notes=1),
    )


def test_a_field_that_names_notes_is_left_out_and_said() -> None:
    notes = [entry(n, metadata={"id": str(n)}) for n in range(VALUES_OFFERED + 1)]
    offer = offer_filters(notes)
    assert offer.values == ()
    assert offer.left_out == ("id",)


def test_no_notes_offer_nothing() -> None:
    assert offer_filters([]).values == ()


def test_a_choice_leaves_out_what_has_no_effect() -> None:
    choice = LookupChoice(filters={"category": ("a",), "lang": ("en", "de")})
    assert choice.arguments() == {
        "mode": "l0+l1",
        "filter_mode": "auto",
        "l1_mode": "hybrid",
        "top_k": 8,
        "filters": {"category": "a", "lang": ["en", "de"]},
    }
