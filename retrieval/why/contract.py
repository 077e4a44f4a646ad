"""The JSON of `why`: the key that `query --why SOURCE --json` adds to the answer."""

from typing import Any

from pydantic import with_config
from typing_extensions import TypedDict

from retrieval.why.types import Absence, StageName, StageState


class StageDict(TypedDict):
    """One stage; names of facts: `retrieval/contract/README.md`."""

    name: StageName
    """Which stage, in flow order."""
    state: StageState
    """`missed`: another path could still find the note; `lost`: here it left the lookup."""
    text: str
    """One sentence."""
    facts: dict[str, Any]
    """Its numbers, for programs."""


class RemedyDict(TypedDict):
    """A changed lookup that was run."""

    change: dict[str, Any]
    """The options that differ from the lookup's."""
    rank: int | None
    """Place in that ranking, from 1; null when nothing finds the note."""
    helps: bool
    """True when the note is in that answer."""
    text: str
    """One sentence."""


@with_config(use_attribute_docstrings=True)
class AbsenceDict(TypedDict):
    """The way of one note through the lookup that the document holds."""

    query: str
    """The query."""
    source: str
    """The note that was asked for."""
    rank: int | None
    """Its place in the answer, from 1; null when it is not there."""
    lost_at: StageName | None
    """The stage that lost it; null when it is in the answer."""
    headline: str
    """The result in one sentence."""
    stages: list[StageDict]
    """Every stage, also those that were not reached."""
    remedies: list[RemedyDict]
    """What would bring the note in."""


def absence_to_dict(absence: Absence) -> AbsenceDict:
    """JSON-safe values."""
    return {
        "query": absence.query,
        "source": absence.source,
        "rank": absence.rank,
        "lost_at": absence.lost_at,
        "headline": absence.headline,
        "stages": [
            {"name": s.name, "state": s.state, "text": s.text, "facts": _plain(s.facts)}
            for s in absence.stages
        ],
        "remedies": [
            {"change": _plain(r.change), "rank": r.rank, "helps": r.helps, "text": r.text}
            for r in absence.remedies
        ],
    }


def _plain(facts: Any) -> dict[str, Any]:
    return {k: list(v) if isinstance(v, tuple) else v for k, v in facts.items()}
