"""What an operator lets a caller see: filters that hold for every note and that nobody lifts.

A note outside the scope does not exist for the lookup: it is no evidence, no hint, no near match,
and no message names it, its categories or its values.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from retrieval.errors import InvalidInput
from retrieval.filtering import admits, check_categories, filter_keys, parse_conditions
from retrieval.types import Condition, Entry, ErrorInfo

_OWN_KEYS = ("category", "source", "title", "keywords")


def parse_scope(scope: Mapping[str, Any] | None) -> tuple[Condition, ...]:
    """The conditions of a scope, which is written like the `filters` of a lookup.

    A field that no note has is no error here: `tenant=acme` then admits nothing.

    Raises `InvalidInput` for a field without a value, which would limit nothing, and
    `UnknownFilter` for an unknown operator.
    """
    given = dict(scope or {})
    for key, wanted in given.items():
        if not parse_conditions({key: wanted}, [key]) or _is_partly_empty(wanted):
            raise InvalidInput(
                f"The scope's field '{key}' has no value, so it would limit nothing.",
                next_action="Give it a value, or leave the field out.",
            )
    return parse_conditions(given, [*given, *_OWN_KEYS])


def check_scope(entries: Iterable[Entry], scope: Mapping[str, Any] | None) -> None:
    """Raises what `filters` of a lookup would raise: a slip is better told before the first call.

    A field or a category that no note has is an `UnknownFilter`.
    """
    notes = tuple(entries)
    parse_scope(scope)
    check_categories(notes, parse_conditions(scope, filter_keys(notes)))


def visible(entries: Iterable[Entry], scope: Iterable[Condition]) -> tuple[Entry, ...]:
    """The notes that a scope admits, in their order; all without a condition."""
    conditions = tuple(scope)
    if not conditions:
        return tuple(entries)
    return tuple(entry for entry in entries if admits(entry, conditions))


def _is_partly_empty(wanted: Any) -> bool:
    """True for `{"eq": None, …}`: one of several conditions would silently fall away."""
    if not isinstance(wanted, Mapping):
        return False
    return any(value is None or value in ([], (), set()) for value in wanted.values())


def without_counts(warnings: Iterable[ErrorInfo]) -> tuple[ErrorInfo, ...]:
    """The warnings without what they count among notes that may lie outside a scope."""
    return tuple(
        replace(warning, message="Notes have changed since the index was built.")
        if warning.code == "index_stale"
        else warning
        for warning in warnings
        if warning.code != "notes_unreadable"
    )
