"""A case: an input of one failure kind, and what has to hold for it."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[3] / "shared" / "cases"

Expected = Mapping[str, Any]
Check = Callable[[Any, Any], Any]
"""(what was found, what is wanted) → True, or what to say about it."""


class UnknownCheck(Exception):
    """A case asks for something that this runner does not know."""


@dataclass(frozen=True)
class Case:
    """One folder of cases."""

    folder: Path

    @cached_property
    def data(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "case.json").read_text("utf-8"))
        return found

    @property
    def id(self) -> str:
        return self.folder.name

    @property
    def action(self) -> str:
        return str(self.data["action"])

    def acceptable(self) -> Iterator[Expected]:
        """What is expected, then what is accepted as well."""
        yield self.data["expected"]
        for other in self.data.get("also_acceptable", ()):
            if "not_applicable_if" not in other:  # caller's filters are part of our interface
                yield other

    def stage(self, target: Path) -> Path:
        """A copy of the folder that a test may change; get its knowledge root."""
        copy = target / self.id
        shutil.copytree(self.folder, copy, symlinks=True)
        if script := self.data.get("setup"):
            subprocess.run([sys.executable, script], cwd=copy, check=True)
        root = copy / "kb"
        root.mkdir(exist_ok=True)
        return root


def find_cases() -> list[Case]:
    """Every case, sorted; none where the folder is not there."""
    return [Case(path.parent) for path in sorted(FOLDER.glob("*/case.json"))]


def problems(
    table: Mapping[str, Check], found: Any, expected: Expected, where: str = ""
) -> list[str]:
    """What does not hold, a line each. A key that the table lacks is an error of the runner."""
    lines = []
    for key, wanted in expected.items():
        if key not in table:
            raise UnknownCheck(f"{where}{key}: {wanted!r}")
        verdict = table[key](found, wanted)
        if verdict is not True:
            lines.append(f"{where}{key}: wanted {wanted!r}, found {verdict!r}")
    return lines


def accept_any(case: Case, judge: Callable[[Expected], Iterable[str]]) -> None:
    """Fails with all problems when none of the acceptable results is there."""
    found = [list(judge(expected)) for expected in case.acceptable()]
    assert [] in found, "\n".join(
        [case.data["title"], *(line for lines in found for line in (*lines, "- or -"))]
    )


def equals(get: Callable[[Any], Any]) -> Check:
    """The value is the wanted one; sequences count as lists."""

    def check(found: Any, wanted: Any) -> Any:
        value = get(found)
        value = list(value) if isinstance(value, tuple) else value
        return True if value == wanted else value

    return check


def says(get: Callable[[Any], str]) -> Check:
    """The text holds each of the wanted ones, whatever the case."""

    def check(found: Any, wanted: list[str]) -> Any:
        text = get(found)
        return all(word.casefold() in text.casefold() for word in wanted) or text

    return check


def holds(get: Callable[[Any], str]) -> Check:
    """The text holds each of the wanted ones as they stand."""
    return lambda found, wanted: all(word in get(found) for word in wanted) or get(found)


def lacks(get: Callable[[Any], str]) -> Check:
    """The text holds none of these."""
    return lambda found, unwanted: not any(word in get(found) for word in unwanted) or get(found)


def includes(get: Callable[[Any], Iterable[Any]]) -> Check:
    """One value, or each of a list, is among those that were found."""
    return lambda found, wanted: set(_listed(wanted)) <= set(get(found)) or list(get(found))


def excludes(get: Callable[[Any], Iterable[Any]]) -> Check:
    """None of these is among those that were found."""
    return lambda found, unwanted: set(_listed(unwanted)).isdisjoint(get(found)) or list(get(found))


def same_set(get: Callable[[Any], Iterable[Any]]) -> Check:
    """The same values in any order."""
    return lambda found, wanted: set(get(found)) == set(wanted) or list(get(found))


def noted(_: Any, __: Any) -> bool:
    """Holds because the run came this far."""
    return True


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]
