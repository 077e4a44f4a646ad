"""Values of callers as short texts and as small JSON, whatever they are.

A caller's value may be huge, hold itself, or have a `repr` that raises: a number of more than 4,300
digits does. An answer or a record that repeats it must not fail because of it.
"""

from collections.abc import Mapping
from math import isfinite

from retrieval.types import Json

LONGEST_SHOWN = 200
LONGEST_TEXT = 4000
MOST_ITEMS = 1000
MOST_CHARACTERS = 100_000
DEEPEST = 6


def cut(text: str, limit: int) -> str:
    """At most `limit` characters; an ellipsis stands for what is missing."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def show(value: object, limit: int = LONGEST_SHOWN) -> str:
    """The value's `repr` in at most `limit` characters; its type where there is none."""
    try:
        return cut(repr(value[:limit] if isinstance(value, str) else value), limit)
    except Exception:  # noqa: BLE001 - part of the agent's door: a foreign `repr` raises anything
        return f"a {type(value).__name__} that cannot be shown"


def to_plain(arguments: Mapping[str, object]) -> dict[str, Json]:
    """A copy of the arguments for the record, which is always JSON.

    Values as people write them stay as they are. Texts are cut at 4,000 characters, lists at 1,000
    items, nesting at six levels; when all of it is longer than 100,000 characters, each argument
    becomes a text of 200. What JSON does not have is shown as text.
    """
    room = [MOST_CHARACTERS]
    few = {cut(str(name), LONGEST_SHOWN): value for name, value in _few(arguments)}
    kept = {name: _plain(value, room, 1) for name, value in few.items()}
    return kept if room[0] >= 0 else {name: show(value) for name, value in few.items()}


def _few(mapping: Mapping[str, object]) -> list[tuple[str, object]]:
    return list(mapping.items())[:MOST_ITEMS]


def _plain(value: object, room: list[int], depth: int) -> Json:
    """The value as JSON; takes its length off `room`, and gives up on what has no room."""
    room[0] -= 1
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float) and isfinite(value):
        return value
    if isinstance(value, int) and abs(value) < 2**63:
        return value
    if isinstance(value, str):
        room[0] -= min(len(value), LONGEST_TEXT)
        return cut(value, LONGEST_TEXT)
    if depth <= DEEPEST and room[0] >= 0:
        if isinstance(value, Mapping):
            return {cut(str(k), LONGEST_SHOWN): _plain(v, room, depth + 1) for k, v in _few(value)}
        if isinstance(value, list | tuple | set | frozenset):
            return [_plain(item, room, depth + 1) for item in list(value)[:MOST_ITEMS]]
    room[0] -= LONGEST_SHOWN
    return show(value)
