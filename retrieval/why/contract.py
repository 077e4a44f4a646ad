"""The JSON of `why`: the key that `query --why SOURCE --json` adds to the answer."""

from typing import Any

from typing_extensions import TypedDict

from retrieval.why.types import Absence, StageName, StageState


class StageDict(TypedDict):
    """One stage; `facts` holds its numbers, by the names that `retrieval/why/README.md` lists."""

    name: StageName
    state: StageState
    text: str
    facts: dict[str, Any]


class RemedyDict(TypedDict):
    """A changed lookup that was run.

    `rank` is the place in its ranking, null when nothing finds the note; `helps` says that the
    note is in the answer.
    """

    change: dict[str, Any]
    rank: int | None
    helps: bool
    text: str


class AbsenceDict(TypedDict):
    """The way of one note through the lookup that the document holds."""

    query: str
    source: str
    rank: int | None
    lost_at: StageName | None
    headline: str
    stages: list[StageDict]
    remedies: list[RemedyDict]


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
