"""The options of one lookup: named once here, checked, and completed from the settings.

An option is added to one of the three dicts below. The lookup, its async twin, the tool and
`explain_absence` take them as `**options`, typed, and `spell_out` lists them in their `help`.
"""

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict, TypeVar, Unpack, get_args, get_type_hints

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

_Function = TypeVar("_Function", bound=Callable[..., Any])


class FixedOptions(TypedDict, total=False):
    """What the settings say where a call does not, and an operator may fix for a tool."""

    mode: LookupMode | None
    filter_mode: FilterMode | None
    l1_mode: L1Mode | None
    top_k: int | None
    min_score: float | None
    budget: int | None


class CallOptions(FixedOptions, total=False):
    """What a call may say of itself: also which notes it wants, and what is to break."""

    filters: Mapping[str, Any] | None
    fault: Fault | None


class ScopedOptions(CallOptions, total=False):
    """What the host of a call may say: also which notes exist for it."""

    scope: Mapping[str, Any] | None


FIXED_OPTIONS = tuple(FixedOptions.__annotations__)


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
    **given: Unpack[ScopedOptions],
) -> LookupOptions:
    """The options of a lookup; one that is left out or None comes from the settings.

    Raises `InvalidInput` with the argument's name, `UnknownFilter` for a filter field, operator
    or category that does not exist in these notes, `TypeError` for an option that does not exist.
    """
    refuse_unknown("lookup", given, ScopedOptions)
    stated: Mapping[str, Any] = given
    chosen = {
        name: getattr(section, name) if stated.get(name) is None else stated[name]
        for name in FIXED_OPTIONS
    }
    filters, fault = given.get("filters"), given.get("fault")
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
    limits = parse_scope(given.get("scope"))
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


def spell_out(function: _Function) -> _Function:
    """The function; `help` and `inspect.signature` list each of its `**options`, default None."""
    signature = inspect.signature(function)
    *named, options = signature.parameters.values()
    (kind,) = get_args(options.annotation)
    listed = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hint)
        for name, hint in get_type_hints(kind).items()
    ]
    vars(function)["__signature__"] = signature.replace(parameters=[*named, *listed])
    return function


def refuse_unknown(function: str, given: Iterable[str], allowed: type) -> None:
    """Raises `TypeError`, in Python's words, for an option that `allowed` does not have."""
    for name in given:
        if name not in get_type_hints(allowed):
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")


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
