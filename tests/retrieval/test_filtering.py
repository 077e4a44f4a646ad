import pytest

from retrieval.errors import UnknownFilter
from retrieval.filtering import (
    admits,
    check_categories,
    decide_filter,
    filter_keys,
    parse_conditions,
    unmet_values,
)
from retrieval.types import Condition, FilterMode, L0Hints
from tests.builders import entry

NOTE = entry("a.md", "A", categories=["HR", "Payroll"], metadata={"lang": "de", "tags": ["x", "y"]})
KEYS = filter_keys([NOTE])


@pytest.mark.parametrize("mode", ["auto", "strict"])
def test_one_domain_filters(mode: FilterMode) -> None:
    decision = decide_filter(L0Hints(domains=("billing",)), mode=mode)
    assert (decision.category, decision.origin, decision.applied) == ("billing", "l0", True)


@pytest.mark.parametrize("domains", [(), ("billing", "network")])
def test_no_domain_or_several_filter_nothing(domains: tuple[str, ...]) -> None:
    decision = decide_filter(L0Hints(domains=domains), mode="auto")
    assert (decision.category, decision.origin, decision.applied) == (None, None, False)


def test_off_derives_nothing() -> None:
    assert decide_filter(L0Hints(domains=("billing",)), mode="off").category is None


def test_callers_conditions_stand_beside_the_derived_filter() -> None:
    own = (Condition(key="lang", op="eq", values=("de",)),)
    decision = decide_filter(L0Hints(domains=("billing",)), mode="auto", conditions=own)
    assert (decision.category, decision.conditions, decision.origin) == (
        "billing",
        own,
        "l0+caller",
    )


@pytest.mark.parametrize(
    ("filters", "holds"),
    [
        ({}, True),
        ({"category": None}, True),
        ({"category": []}, True),
        ({"category": "hr"}, True),
        ({"category": "payroll "}, True),
        ({"category": "hr it"}, False),
        ({"category": ["sales", "HR"]}, True),
        ({"category": {"ne": "hr"}}, False),
        ({"category": {"nin": ["sales", "it"]}}, True),
        ({"Lang": "DE", "category": "hr"}, True),
        ({"lang": "en", "category": "hr"}, False),
        ({"tags": "y"}, True),
        ({"tags": {"==": "z"}}, False),
    ],
)
def test_filters_compare_folded_values_and_join(filters: dict[str, object], holds: bool) -> None:
    assert admits(NOTE, parse_conditions(filters, KEYS)) is holds


def test_a_number_compares_as_text() -> None:
    note = entry("y.md", "Y", metadata={"year": "2024"})
    assert admits(note, parse_conditions({"year": 2024}, filter_keys([note])))


def test_an_unknown_field_is_refused_by_name() -> None:
    with pytest.raises(UnknownFilter, match="'categry'"):
        parse_conditions({"categry": "x"}, KEYS)


def test_an_unknown_operator_is_refused_by_name() -> None:
    with pytest.raises(UnknownFilter, match="'betwen'"):
        parse_conditions({"category": {"betwen": ["a", "b"]}}, KEYS)


def test_a_value_that_no_note_has_is_a_warning_with_those_that_exist() -> None:
    notes = [entry("a.md", categories=["Billing"]), entry("b.md", categories=["network"])]
    filters = {"category": ["nope", "neither"], "source": "A.md", "title": {"ne": "x"}}
    (warning,) = unmet_values(notes, parse_conditions(filters, filter_keys(notes)))
    assert warning.message == "No note has the category 'nope' or 'neither'."
    assert warning.next_action == 'Values here: "Billing", "network".'


def test_a_category_that_no_note_has_is_refused_with_those_that_exist() -> None:
    check_categories([NOTE], parse_conditions({"category": ["hr", "PAYROLL"]}, KEYS))
    check_categories([NOTE], parse_conditions({"category": {"ne": "nope"}}, KEYS))
    check_categories([], parse_conditions({"category": "nope"}, KEYS))
    with pytest.raises(UnknownFilter, match=r"'nope'.*Categories here: .HR., .Payroll.\."):
        check_categories([NOTE], parse_conditions({"category": ["hr", "nope"]}, KEYS))
