"""One row of the doctor's report."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Status: TypeAlias = Literal["ok", "warning", "problem", "not checked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What was found about one part, and what to do about it.

    `warning`: lookups answer, and something should be done. `problem`: a part does not work.
    """

    name: str
    status: Status
    detail: str
    next_action: str = ""

    @property
    def needs_action(self) -> bool:
        return self.status in ("warning", "problem")
