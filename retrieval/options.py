"""The options of one lookup: arguments checked, and completed from the settings."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from retrieval.errors import InvalidInput
from retrieval.faults import Fault
from retrieval.filtering import check_categories, filter_keys, parse_conditions
from retrieval.scope import parse_scope, visible
from retrieval.settings import LookupSection
from retrieval.shown import show
from retrieval.types import Condition, Entry, FilterMode, L1Mode, LookupMode

LEAST_BUDGET = 200
MOST_BUDGET = 10**9
MOST_BLOCKS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupOptions:
    """How one query is to be answered; every value is settled."""

    mode: LookupMode
    filter_mode: FilterMode
    l1_mode: L1Mode
    conditions: tuple[Condition, ...]
    top_k: int
    min_score: float | None
    budget: int | None
    l1_timeout: float
    relax_margin: float
    fault: Fault | None = None
    scope: tuple[Condition, ...] = ()
    """The part of `conditions` that limits what exists for this caller."""


def settle_options(
    section: LookupSection,
    entries: Iterable[Entry],
    *,
    filters: Mapping[str, Any] | None,
    fault: Fault | None,
    scope: Mapping[str, Any] | None = None,
    **given: Any,
) -> LookupOptions:
    """The options of a lookup; an argument that is None comes from the settings.

    Raises `InvalidInput` with the argument's name, `UnknownFilter` for a filter field, operator
    or category that does not exist in these notes.
    """
    chosen = {
        name: getattr(section, name) if value is None else value for name, value in given.items()
    }
    _require_one_of("mode", chosen["mode"], get_args(LookupMode))
    _require_one_of("filter_mode", chosen["filter_mode"], get_args(FilterMode))
    _require_one_of("l1_mode", chosen["l1_mode"], get_args(L1Mode))
    _require_one_of("fault", fault, (None, *get_args(Fault)))
    is_mapping = filters is None or isinstance(filters, Mapping)
    _require("filters", filters, is_mapping, "a mapping of fields to values")
    top_k, least, budget = chosen["top_k"], chosen["min_score"], chosen["budget"]
    _require(
        "top_k",
        top_k,
        _is_whole(top_k) and 1 <= top_k <= MOST_BLOCKS,
        f"a whole number from 1 to {MOST_BLOCKS}",
    )
    is_number = isinstance(least, int | float) and not isinstance(least, bool)
    is_cosine = is_number and -1 <= least <= 1
    _require("min_score", least, least is None or is_cosine, "a cosine from -1 to 1")
    enough = _is_whole(budget) and LEAST_BUDGET <= budget <= MOST_BUDGET
    _require(
        "budget",
        budget,
        budget is None or enough,
        f"a number of tokens from {LEAST_BUDGET} to {MOST_BUDGET}",
    )
    limits = parse_scope(scope)
    conditions: tuple[Condition, ...] = ()
    if filters:
        notes = visible(entries, limits)
        conditions = parse_conditions(filters, filter_keys(notes))
        check_categories(notes, conditions)
    return LookupOptions(
        **chosen,
        conditions=(*limits, *conditions),
        scope=limits,
        l1_timeout=section.l1_timeout,
        relax_margin=section.relax_margin,
        fault=fault,
    )


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _require_one_of(name: str, value: object, allowed: Collection[object]) -> None:
    names = ", ".join(str(item) for item in allowed if item is not None)
    _require(name, value, value in allowed, f"one of {names}")


def _require(name: str, value: object, holds: bool, wanted: str) -> None:
    if not holds:
        raise InvalidInput(
            f"The argument {name} is {show(value)}.", next_action=f"It has to be {wanted}."
        )
