"""From use to labels: recorded queries as candidates to judge. Nothing here is a label.

What was ranked first is no evidence of what is relevant, so a candidate says what was asked, when
and how often, and what was shown; a person judges.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from eval_sets.labelling.editing import made_id
from eval_sets.types import Case
from retrieval.text import fold, is_blank

if TYPE_CHECKING:
    from retrieval.knowledge_base import KnowledgeBase
    from retrieval.records import ToolInvocation

SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A query that was asked, and that somebody could judge."""

    query: str
    """As it was asked last."""
    times: int
    first_asked: str
    """UTC, ISO 8601."""
    last_asked: str
    invocations: tuple[str, ...]
    """Ids of the recorded calls, newest first."""
    callers: tuple[str, ...]
    outcomes: dict[str, int]
    """Outcome → calls."""
    shown: tuple[str, ...]
    """Sources that the last call returned: where a judge may begin, and no label."""
    case_id: str | None = None
    """The case of the set that asks this already."""

    @property
    def origin(self) -> str:
        """What the case that is made of it should say about where it comes from."""
        return f"trace:{self.invocations[0]}"

    def to_dict(self) -> dict[str, Any]:
        """One line of the export."""
        names = [name for name in self.__slots__ if name != "case_id"]
        return {**{name: getattr(self, name) for name in names}, "origin": self.origin} | {
            "case_id": self.case_id
        }


def find_candidates(
    invocations: Iterable["ToolInvocation"],
    known: Iterable[Case] = (),
    *,
    unjudged_only: bool = False,
) -> tuple[Candidate, ...]:
    """The recorded queries, each folded one once, the most asked first.

    Calls whose query was not recorded or is blank are left out. `known` are cases that may ask the
    same; `unjudged_only` leaves out those of them that are judged.
    """
    cases = {fold(case.query): case for case in known}
    groups: dict[str, list[ToolInvocation]] = {}
    newest = sorted(invocations, key=lambda call: (call.created_at, call.id), reverse=True)
    for call in newest:
        if call.query is not None and not is_blank(call.query):
            groups.setdefault(fold(call.query), []).append(call)
    found = [
        _candidate(calls, cases.get(key))
        for key, calls in groups.items()
        if not (unjudged_only and key in cases and cases[key].judged)
    ]
    return tuple(sorted(found, key=lambda candidate: (-candidate.times, fold(candidate.query))))


def logged_cases(
    kb: "KnowledgeBase", *, limit: int, known: Sequence[Case] = ()
) -> tuple[Case, ...]:
    """At most `limit` recorded queries that no known case asks, as cases without a label."""
    if limit < 1:
        return ()
    return tuple(_unlabelled(find_candidates(kb.records().list(limit=None), known), limit))


def _unlabelled(candidates: Iterable[Candidate], limit: int) -> Iterator[Case]:
    new = [candidate for candidate in candidates if candidate.case_id is None]
    for candidate in new[:limit]:
        yield Case(id=made_id(candidate.query), query=candidate.query, origin=candidate.origin)


def _candidate(calls: Sequence["ToolInvocation"], case: Case | None) -> Candidate:
    last, first = calls[0], calls[-1]
    outcomes: dict[str, int] = {}
    for call in calls:
        outcomes[call.outcome] = outcomes.get(call.outcome, 0) + 1
    blocks = last.retrieval_details.get("evidence_blocks") or ()
    return Candidate(
        query=(last.query or "").strip(),
        times=len(calls),
        first_asked=_utc(first.created_at),
        last_asked=_utc(last.created_at),
        invocations=tuple(call.id for call in calls),
        callers=tuple(dict.fromkeys(call.caller for call in calls)),
        outcomes=outcomes,
        shown=tuple(block["source"] for block in blocks if "source" in block)[:SHOWN],
        case_id=case.id if case else None,
    )


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")
