"""Recorded lookups, run again on today's notes, index and settings, and what came out otherwise."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from retrieval.errors import InvalidInput, RetrievalError
from retrieval.serialize import retrieval_details
from retrieval.types import Fingerprint, LookupResult, Outcome

if TYPE_CHECKING:
    from retrieval.knowledge_base import KnowledgeBase
    from retrieval.records import ToolInvocation
    from retrieval.replay_contract import ReplayDict

Status = Literal["same", "reordered", "changed", "outcome_changed", "not_replayed"]
TOOL_NAME = "lookup_knowledge"
_ARGUMENTS = frozenset(
    {
        "mode",
        "filter_mode",
        "l1_mode",
        "filters",
        "top_k",
        "min_score",
        "budget",
        "fault",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """The same content under another name, in the answers then and now."""

    source: str
    now: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """One recorded call, then and now.

    `reordered`: the same notes in another order. `changed`: notes came or went. `outcome_changed`
    comes before both. `not_replayed`: `reason` says why, and nothing is known of now.
    """

    id: str
    created_at: datetime
    query: str | None
    status: Status
    outcome: Outcome
    outcome_now: Outcome | None = None
    primary: str | None = None
    primary_now: str | None = None
    gained: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    moved: tuple[Move, ...] = ()
    """Neither gained nor lost."""
    vanished: tuple[str, ...] = ()
    """Of the lost ones, those that are no note of this knowledge base any more."""
    partial: bool = False
    """The record was shortened, so only its first notes could be compared."""
    fingerprint: Mapping[str, str | None]
    fingerprint_now: Fingerprint | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """All calls of one replay, in the order given."""

    calls: tuple[Replayed, ...]

    def count(self, status: Status) -> int:
        """Calls with this status."""
        return sum(call.status == status for call in self.calls)

    def to_dict(self) -> "ReplayDict":
        """JSON-safe values."""
        from retrieval.replay_contract import replay_to_dict

        return replay_to_dict(self)


def replay(kb: "KnowledgeBase", invocations: Iterable["ToolInvocation"]) -> Replay:
    """Each recorded call, with its query and arguments, on `kb` as it is now, against its record.

    What a call did not say comes from today's settings. Nothing is recorded. A call whose query was
    not recorded, or whose arguments are refused today, is `not_replayed`; the others go on.
    """
    return Replay(calls=tuple(_replay_one(kb, invocation) for invocation in invocations))


def _replay_one(kb: "KnowledgeBase", then: "ToolInvocation") -> Replayed:
    query = then.query
    if query is None:
        return _not_replayed(then, "The query was not recorded.")
    if then.tool_name != TOOL_NAME:
        return _not_replayed(then, f"The tool {then.tool_name} is none that can be run again.")
    unknown = sorted(then.arguments.keys() - _ARGUMENTS)
    if unknown:
        return _not_replayed(then, f"The lookup has no argument '{unknown[0]}'.")
    try:
        result = kb.lookup(query, **dict(then.arguments))
    except InvalidInput as error:
        if then.outcome != "refused":
            return _not_replayed(then, f"{error.message} {error.next_action}".strip())
        result = kb.refuse(query, error, "refused")
    except RetrievalError as error:
        return _not_replayed(then, f"{error.message} {error.next_action}".strip())
    return _compare(kb, then, result)


def _compare(kb: "KnowledgeBase", then: "ToolInvocation", result: LookupResult) -> Replayed:
    before, now = _hashes(then.retrieval_details), _hashes(dict(retrieval_details(result)))
    partial = _is_shortened(then.retrieval_details)
    if partial:
        now = dict(list(now.items())[: len(before)])
    lost = [source for source in before if source not in now]
    gained = [source for source in now if source not in before]
    moved = _pair_moved(lost, gained, before, now)
    names = {move.source: move.now for move in moved}
    lost = [source for source in lost if source not in names]
    gained = [source for source in gained if source not in names.values()]
    status: Status = "same"
    if result.outcome != then.outcome:
        status = "outcome_changed"
    elif lost or gained or moved:
        status = "changed"
    elif list(before) != list(now):
        status = "reordered"
    known = kb.view.entries
    return Replayed(
        id=then.id,
        created_at=then.created_at,
        query=then.query,
        status=status,
        outcome=then.outcome,
        outcome_now=result.outcome,
        primary=next(iter(before), None),
        primary_now=next(iter(now), None),
        gained=tuple(gained),
        lost=tuple(lost),
        moved=moved,
        vanished=tuple(s for s in lost if s not in known),
        partial=partial,
        fingerprint=_fingerprint(then),
        fingerprint_now=result.fingerprint,
    )


def _pair_moved(
    lost: Sequence[str],
    gained: Sequence[str],
    before: Mapping[str, str],
    now: Mapping[str, str],
) -> tuple[Move, ...]:
    """Lost and gained notes whose content in the answer is the same, each used once."""
    free = list(gained)
    moves = []
    for source in lost:
        same = next((other for other in free if now[other] == before[source]), None)
        if same is not None:
            free.remove(same)
            moves.append(Move(source=source, now=same))
    return tuple(moves)


def _hashes(details: Mapping[str, Any]) -> dict[str, str]:
    """Source → hash of the block's content, in the answer's order."""
    return {
        str(block["source"]): str(block.get("content_hash", ""))
        for block in details.get("evidence_blocks") or ()
    }


def _is_shortened(details: Mapping[str, Any]) -> bool:
    counted = (details.get("counts") or {}).get("evidence_block_count")
    return isinstance(counted, int) and counted > len(details.get("evidence_blocks") or ())


def _fingerprint(then: "ToolInvocation") -> dict[str, str | None]:
    recorded = then.retrieval_details.get("fingerprint") or {}
    return {name: recorded.get(name) for name in ("config", "index", "embedding")}


def _not_replayed(then: "ToolInvocation", reason: str) -> Replayed:
    return Replayed(
        id=then.id,
        created_at=then.created_at,
        query=then.query,
        status="not_replayed",
        outcome=then.outcome,
        primary=next(iter(_hashes(then.retrieval_details)), None),
        fingerprint=_fingerprint(then),
        reason=reason,
    )
