"""TOML frontmatter as text, nested no deeper than YAML may be."""

import datetime
import re
import tomllib
from typing import Any

from retrieval.knowledge.decoding import without_controls
from retrieval.knowledge.refusal import NoteRefused, refuse
from retrieval.knowledge.yaml_fields import MAX_DEPTH
from retrieval.types import Json

_PLACE = re.compile(r"\(at line (\d+), column \d+\)")
_KEY_PART = re.compile(r"""(?:"[^"\n]*"|'[^'\n]*'|[\w-]+)[ \t]*(\.?)[ \t]*""")
# The parser needs time that is quadratic in the parts of one key: more are not handed to it.
_MAX_KEY_PARTS = 1000
# Python reads and writes no whole numbers of more than 4300 digits; in hexadecimal that is 3571.
_LONG_NUMBER = re.compile(r"(?<![\w\"'])[+-]?\w{3500}")


def read_toml(block: str, *, line: int, source: str) -> Json:
    """The block's value with scalars as text; `line` is the line of the file on which it begins.

    Raises `NoteRefused` for what is not TOML, for nesting beyond `MAX_DEPTH`, and for whole
    numbers beyond what Python reads.
    """
    try:
        if _longest_key(block) > _MAX_KEY_PARTS:
            raise RecursionError
        return _as_text(tomllib.loads(block, parse_float=str), 1)
    except tomllib.TOMLDecodeError as error:
        found = _PLACE.search(str(error))
        at = line + (int(found[1]) - 1 if found else 0)
        problem = _PLACE.sub("", str(error)).strip()
        raise _refuse(
            source, f"The frontmatter between +++ is not TOML in line {at}: {problem}.", at
        ) from None
    except RecursionError:
        at = line + _deepest_line(block)
        raise _refuse(source, f"The frontmatter nests too deeply in line {at}.", at) from None
    except ValueError:
        number = _LONG_NUMBER.search(block)
        at = line + (block.count("\n", 0, number.start()) if number else 0)
        message = f"A whole number in line {at} of the frontmatter has too many digits."
        raise _refuse(source, message, at, "Put the value in quotes.") from None


def _refuse(
    source: str,
    message: str,
    line: int,
    next_action: str = "Correct it, or write it as YAML between --- lines.",
) -> NoteRefused:
    return refuse(source, "toml", message, next_action, line)


def _as_text(value: Any, depth: int) -> Json:
    if isinstance(value, dict | list) and depth > MAX_DEPTH:
        raise RecursionError
    if isinstance(value, dict):
        return {key: _as_text(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_text(item, depth + 1) for item in value]
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return without_controls(str(value))


def _longest_key(block: str) -> int:
    """The most parts that any dotted key has, or what looks like one."""
    longest, parts, end = 1, 1, 0
    for part in _KEY_PART.finditer(block):
        parts = parts if part.start() == end else 1
        end = part.end()
        if part[1]:
            parts += 1
            longest = max(longest, parts)
        else:
            parts = 1
    return longest


def _deepest_line(block: str) -> int:
    """0-based line on which the nesting passes the limit, as far as brackets and dots tell.

    What stands in quotes counts too: this only says where to look.
    """
    depth = 1
    for number, text in enumerate(block.split("\n")):
        for bracket in re.findall(r"[\[\]{}]", text):
            depth += 1 if bracket in "[{" else -1
            if depth > MAX_DEPTH:
                return number
        is_header = text.lstrip().startswith("[")  # its last part is a level too
        if depth + _longest_key(text) - (not is_header) > MAX_DEPTH:
            return number
    return 0
