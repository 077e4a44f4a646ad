"""What L1 is limited to: the caller's filters, and a category when L0 names just one."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, cast, get_args

from retrieval.errors import InvalidInput, UnknownFilter
from retrieval.shown import LONGEST_SHOWN, cut, show
from retrieval.suspicion import reads_like_instructions
from retrieval.text import fold
from retrieval.types import (
    Condition,
    Entry,
    ErrorInfo,
    FilterDecision,
    FilterMode,
    FilterOperator,
    L0Hints,
)

VALUES_SHOWN = 12
FIELDS_SHOWN = 20
LONGEST_NAME = 60
VALUES_REPEATED = 50
_SHORTHANDS: dict[str, FilterOperator] = {"==": "eq", "!=": "ne"}


def decide_filter(
    hints: L0Hints, *, mode: FilterMode, conditions: Sequence[Condition] = ()
) -> FilterDecision:
    """The filter of the L1 request.

    Exactly one distinct nonblank domain in the hints gives its category, in `auto` and `strict`;
    none or several give none. The caller's conditions stand beside it, whatever the mode.
    """
    own = tuple(conditions)
    domains = hints.domains
    if mode == "off":
        return FilterDecision(
            mode=mode, conditions=own, reason="The derived filter is switched off."
        )
    if not domains:
        reason = "No derived filter: the hints name no category."
        return FilterDecision(mode=mode, conditions=own, reason=reason)
    if len(domains) > 1:
        named = ", ".join(domains[:5]) + (", …" if len(domains) > 5 else "")
        reason = f"No derived filter: the hints name {len(domains)} categories ({named})."
        return FilterDecision(mode=mode, conditions=own, reason=reason)
    guard = (
        "nearly as good hits outside it may come in" if mode == "auto" else "nothing else comes in"
    )
    reason = f"The hints name one category, '{domains[0]}'; {guard}."
    return FilterDecision(mode=mode, category=domains[0], conditions=own, reason=reason)


def parse_conditions(
    filters: Mapping[str, Any] | None, known_keys: Iterable[str]
) -> tuple[Condition, ...]:
    """A caller's filters as conditions, all of which must hold.

    `filters` maps a key (`category`, `source`, `title`, or a frontmatter key) to a value, a list of
    values (any of them), or `{operator: value or list}` with `eq`, `ne`, `in`, `nin`. None and
    empty lists are no condition.

    Raises `UnknownFilter` for a key that no note has and for an unknown operator, by name;
    `InvalidInput` for a value that is no text or number.
    """
    folded = {fold(key): key for key in known_keys}
    conditions: list[Condition] = []
    for name, wanted in (filters or {}).items():
        key = folded.get(fold(str(name)))
        if key is None:
            raise UnknownFilter(
                f"No note has the filter field '{cut(str(name), LONGEST_SHOWN)}'.",
                next_action=f"Fields here: {_quoted(sorted(folded.values()), FIELDS_SHOWN)}.",
            )
        parts = wanted if isinstance(wanted, Mapping) else {None: wanted}
        for operator, value in parts.items():
            condition = _condition(key, operator, value)
            if condition is not None:
                conditions.append(condition)
    return tuple(conditions)


def _condition(key: str, operator: str | None, value: Any) -> Condition | None:
    many = isinstance(value, list | tuple | set | frozenset)
    values = tuple(_text(v) for v in (value if many else [value]) if v is not None)
    if not values:
        return None
    name = _SHORTHANDS.get(operator or "", operator)
    if name is None:
        return Condition(key=key, op="in" if many else "eq", values=values)
    if name not in get_args(FilterOperator):
        raise UnknownFilter(
            f"The filter on '{key}' has the unknown operator {show(operator)}.",
            next_action=f"Operators: {', '.join(get_args(FilterOperator))}.",
        )
    if name in ("eq", "ne") and len(values) > 1:
        name = "in" if name == "eq" else "nin"
    return Condition(key=key, op=cast(FilterOperator, name), values=values)


def _text(value: Any) -> str:
    if isinstance(value, Mapping | list | tuple | set | frozenset):
        raise InvalidInput(
            f"A filter's value is {show(value)}.",
            next_action="Write a text or a number, or one list of them.",
        )
    try:
        return str(value).lower() if isinstance(value, bool) else str(value)
    except ValueError:  # more digits than Python writes
        raise InvalidInput(
            f"A filter's value is {show(value)}.", next_action="Write it as a text."
        ) from None


def shorten_values(decision: FilterDecision) -> FilterDecision:
    """The decision as answers repeat it: 50 values of a condition at most, of 200 characters."""
    conditions = tuple(
        replace(c, values=tuple(cut(value, LONGEST_SHOWN) for value in c.values[:VALUES_REPEATED]))
        for c in decision.conditions
    )
    return replace(decision, conditions=conditions)


def unmet_values(entries: Iterable[Entry], conditions: Iterable[Condition]) -> list[ErrorInfo]:
    """A warning for each condition whose wanted values no note has: a slip, most likely."""
    notes = tuple(entries)
    warnings = []
    for condition in conditions:
        if condition.op in ("ne", "nin") or any(admits(entry, [condition]) for entry in notes):
            continue
        known = _known_values(notes, condition.key)
        wanted = " or ".join(
            f"'{cut(value, LONGEST_SHOWN)}'" for value in condition.values[:VALUES_SHOWN]
        )
        warnings.append(
            ErrorInfo(
                code="unknown_value",
                message=f"No note has the {condition.key} {wanted}.",
                next_action=f"Values here: {known}." if known else "",
            )
        )
    return warnings


def check_categories(entries: Iterable[Entry], conditions: Iterable[Condition]) -> None:
    """Raises `UnknownFilter` when a filter wants a category that no note has, by name.

    Categories are a closed set: a wrong one is a slip, where other fields may lack a value today.
    """
    wanted = [c for c in conditions if c.key == "category" and c.op in ("eq", "in")]
    if not wanted:
        return
    notes = tuple(entries)
    known = {_folded(category) for entry in notes for category in entry.categories}
    unknown = [value for c in wanted for value in c.values if fold(value) not in known]
    if notes and unknown:
        raise UnknownFilter(
            f"No note has the category '{cut(unknown[0], LONGEST_SHOWN)}'.",
            next_action=f"Categories here: {_known_values(notes, 'category') or 'none'}.",
        )


def _known_values(entries: Iterable[Entry], key: str) -> str:
    """The values of a field, folded repeats dropped; the first dozen."""
    values = {fold(v): v for entry in entries for v in field_values(entry, key)}
    return _quoted(sorted(values.values(), key=fold), VALUES_SHOWN)


def _quoted(values: Iterable[str], most: int) -> str:
    """What notes say, as a message may repeat it: in quotes, short, and nothing like an order."""
    fit = [value for value in values if not reads_like_instructions(value)]
    shown = (cut(" ".join(value.split()), LONGEST_NAME) for value in fit[:most])
    named = ", ".join('"' + value.replace('"', "'") + '"' for value in shown)
    return named + (", …" if len(fit) > most else "")


def admits(entry: Entry, conditions: Iterable[Condition]) -> bool:
    """True when the note satisfies every condition."""
    return all(_holds(entry, condition) for condition in conditions)


def admission(conditions: Collection[Condition]) -> Callable[[Entry], bool] | None:
    """`admits` with these conditions; None without any, so that no note need be asked."""
    return (lambda entry: admits(entry, conditions)) if conditions else None


def _holds(entry: Entry, condition: Condition) -> bool:
    wanted = {_folded(value) for value in condition.values}
    present = any(fold(value) in wanted for value in field_values(entry, condition.key))
    return present if condition.op in ("eq", "in") else not present


def field_values(entry: Entry, key: str) -> tuple[str, ...]:
    """The texts that a filter on `key` compares with: several for a list, none when absent.

    Frontmatter keys compare folded: `Tenant` and `tenant` are one field, however a note writes it.
    """
    if key == "category":
        return entry.categories
    if key == "source":
        return (entry.source,)
    if key == "title":
        return (entry.title,)
    if key == "keywords":
        return entry.keywords
    wanted = _folded(key)
    values: list[Any] = []
    for name, value in entry.metadata.items():
        if name == key or _folded(name) == wanted:
            values.extend(value if isinstance(value, list | tuple) else [value])
    return tuple(v for v in values if isinstance(v, str))


@lru_cache(maxsize=4096)
def _folded(key: str) -> str:
    return fold(key)


def filter_keys(entries: Iterable[Entry]) -> set[str]:
    """Every key that a caller may filter on in these notes."""
    keys = {"category", "source", "title", "keywords"}
    for entry in entries:
        keys.update(key for key in entry.metadata if field_values(entry, key))
    return keys


def is_within(entry: Entry, category: str) -> bool:
    """True when the category is among the note's, compared folded."""
    wanted = _folded(category)
    return any(_folded(own) == wanted for own in entry.categories)
