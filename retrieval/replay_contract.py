"""The JSON of `traces replay --json`."""

from dataclasses import asdict
from datetime import UTC
from typing import cast, get_args

from typing_extensions import TypedDict

from retrieval.contract import FingerprintDict
from retrieval.replay import Replay, Replayed, Status
from retrieval.types import Outcome


class MoveDict(TypedDict):
    """The same content under another name."""

    source: str
    now: str


class ReplayedDict(TypedDict):
    """One recorded call, then and now; what is unknown is null."""

    id: str
    created_at: str
    query: str | None
    status: Status
    outcome: Outcome
    outcome_now: Outcome | None
    primary: str | None
    primary_now: str | None
    gained: list[str]
    lost: list[str]
    moved: list[MoveDict]
    vanished: list[str]
    partial: bool
    fingerprint: FingerprintDict
    fingerprint_now: FingerprintDict | None
    reason: str | None


class ReplayDict(TypedDict):
    """The whole replay; `counts` has every status."""

    counts: dict[str, int]
    calls: list[ReplayedDict]


def replay_to_dict(replay: Replay) -> ReplayDict:
    """JSON-safe values."""
    return {
        "counts": {status: replay.count(status) for status in get_args(Status)},
        "calls": [_call(call) for call in replay.calls],
    }


def _call(call: Replayed) -> ReplayedDict:
    data = asdict(call) | {
        "created_at": call.created_at.astimezone(UTC).isoformat(),
        "gained": list(call.gained),
        "lost": list(call.lost),
        "moved": [asdict(move) for move in call.moved],
        "vanished": list(call.vanished),
    }
    return cast(ReplayedDict, data)
