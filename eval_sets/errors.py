"""Errors of labelled sets, below `InvalidInput` of the lookup's own tree.

InvalidInput
├── SetError        a labelled set or a file to import is not usable; lists every problem
├── SetChanged      labels were changed by someone else after they were read
└── TooFewLabels    a figure was asked for that this many labels cannot carry
"""

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.errors import InvalidInput

_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is wrong in one place of a file."""

    file: str
    message: str
    line: int | None = None

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}: {self.message}"


class SetError(InvalidInput):
    """A labelled set is not usable; `problems` holds all that was found."""

    code = "set_error"

    def __init__(self, name: str, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        lines = [f"  {problem}" for problem in self.problems[:_SHOWN]]
        if len(self.problems) > _SHOWN:
            lines.append(f"  and {len(self.problems) - _SHOWN} more")
        count = f"{len(self.problems)} problem" + ("s" if len(self.problems) != 1 else "")
        super().__init__(
            "\n".join([f"{count} in {name}:", *lines]),
            next_action="Correct the named places; nothing was changed.",
        )

    def __str__(self) -> str:
        return f"{self.message}\n{self.next_action}"


class SetChanged(InvalidInput):
    """The labels are not what the caller read; nothing was written."""

    code = "set_changed"


class TooFewLabels(InvalidInput):
    """There are not enough labelled queries for the figure that was asked for."""

    code = "too_few_labels"
