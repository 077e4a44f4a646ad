"""What is said about one note and one query."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from retrieval.types import Json, LookupResult

if TYPE_CHECKING:
    from retrieval.why.contract import AbsenceDict

StageName = Literal[
    "file",
    "index",
    "caller_filter",
    "l0",
    "derived_filter",
    "l1",
    "min_score",
    "top_k",
    "budget",
]
StageState = Literal["passed", "missed", "lost", "skipped", "not_reached"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One stage of the lookup, as it was for the note.

    `missed`: this path did not find the note, another one still could. `lost`: here the note left
    the lookup; at most one stage is. `skipped`: the stage had nothing to do. `not_reached`: the
    note was lost before.
    """

    name: StageName
    state: StageState
    text: str
    """One sentence."""
    facts: Mapping[str, Json] = field(default_factory=dict)
    """The numbers of the sentence, for programs; names as in the JSON contract."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """A changed lookup that was run, and where the note stands in its answer."""

    change: Mapping[str, Json]
    """The options of the lookup that differ."""
    rank: int | None
    """1-based place in that ranking, beyond `top_k` too; None when nothing finds the note."""
    helps: bool
    """True when the note is in that answer."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Absence:
    """The way of one note through one lookup."""

    query: str
    source: str
    rank: int | None
    """1-based place in the answer; None when the note is not in it."""
    lost_at: StageName | None
    """None when the note is in the answer."""
    headline: str
    stages: tuple[Stage, ...]
    """In flow order, all of them."""
    remedies: tuple[Remedy, ...]
    result: LookupResult
    """The lookup that was followed."""

    def to_dict(self) -> "AbsenceDict":
        """JSON-safe values, without the answer itself."""
        from retrieval.why.contract import absence_to_dict

        return absence_to_dict(self)
