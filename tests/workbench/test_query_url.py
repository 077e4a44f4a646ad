"""The URL of the page Query."""

import pytest

from tests.workbench.state_samples import DEFAULTS, OTHER
from workbench.services.lookups import LookupChoice
from workbench.state.query import QueryState, from_url, to_url


@pytest.mark.parametrize(
    "state",
    [
        QueryState(query="a & b = c", choice=DEFAULTS, other=DEFAULTS),
        QueryState(query="x", choice=OTHER, other=OTHER),
        QueryState(query="x", choice=OTHER, other=LookupChoice(), compare=True),
        QueryState(query="x", choice=DEFAULTS, other=OTHER, compare=True),
    ],
)
def test_a_link_reproduces_the_state(state: QueryState) -> None:
    found, problems = from_url(to_url(state), DEFAULTS)
    assert problems == ()
    assert (found.query, found.choice, found.compare) == (state.query, state.choice, state.compare)
    if state.compare:
        assert found.other == state.other


def test_a_link_says_everything_so_that_other_settings_do_not_change_it() -> None:
    url = to_url(QueryState(query="x", choice=DEFAULTS))
    assert url == {
        "q": ["x"],
        "mode": ["l0+l1"],
        "filter": ["auto"],
        "l1": ["hybrid"],
        "top_k": ["5"],
        "min_score": ["none"],
    }


def test_nothing_asked_has_no_parameters() -> None:
    assert to_url(QueryState(query="  ", choice=OTHER)) == {}


def test_what_is_missing_is_as_the_settings_say() -> None:
    assert from_url({}, DEFAULTS)[0].choice == DEFAULTS


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mode", "banana"),
        ("filter", ""),
        ("l1", "HYBRID"),
        ("fault", "none"),
        ("top_k", "0"),
        ("top_k", "1.5"),
        ("top_k", "9999999999"),
        ("min_score", "nan"),
        ("min_score", "2"),
        ("where", "category"),
        ("where", "=x"),
        ("b.mode", "<script>"),
    ],
)
def test_a_bad_value_is_named_and_the_default_stands(name: str, value: str) -> None:
    state, problems = from_url({"q": ["x"], name: [value]}, DEFAULTS)
    assert state == QueryState(query="x", choice=DEFAULTS, other=DEFAULTS)
    assert len(problems) == 1
    assert problems[0].startswith(f"{name}={value} is not")


def test_unknown_parameters_are_left_alone() -> None:
    assert from_url({"q": ["x"], "utm_source": ["y"]}, DEFAULTS)[1] == ()
