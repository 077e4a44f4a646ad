"""Recorded queries as candidates: deduplicated, with provenance, and never a label."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from eval_sets.labelling.candidates import find_candidates, logged_cases
from eval_sets.types import Case
from retrieval.knowledge_base import KnowledgeBase
from retrieval.records import ToolInvocation
from retrieval.tools.lookup import lookup_knowledge
from tests.notes import write_notes

START = datetime(2026, 12, 1, 12, tzinfo=UTC)


def _call(hour: int, query: str | None, **fields: Any) -> ToolInvocation:
    given = {"tool_name": "lookup_knowledge", "caller": "cli", "outcome": "evidence"}
    moment = START + timedelta(hours=hour)
    return ToolInvocation(query=query, id=f"id{hour}", created_at=moment, **{**given, **fields})


CALLS = [
    _call(0, "refund window"),
    _call(1, " Refund-Window", caller="agent", outcome="fallback"),
    _call(2, "lost badge", retrieval_details={"evidence_blocks": [{"source": "a.md"}]}),
    _call(3, None),
    _call(4, "  ?! ", outcome="refused"),
]


def test_equal_queries_are_one_candidate_with_all_their_calls() -> None:
    first, second = find_candidates(CALLS)
    assert (first.query, first.times) == ("Refund-Window", 2)
    assert first.invocations == ("id1", "id0")
    assert first.callers == ("agent", "cli")
    assert first.outcomes == {"fallback": 1, "evidence": 1}
    assert first.first_asked == "2026-12-01T12:00:00+00:00"
    assert first.last_asked == "2026-12-01T13:00:00+00:00"
    assert first.origin == "trace:id1"
    assert (second.query, second.shown) == ("lost badge", ("a.md",))


def test_no_candidate_carries_a_label() -> None:
    fields = {name for candidate in find_candidates(CALLS) for name in candidate.to_dict()}
    assert not fields & {"relevant", "grade", "expect_no_answer", "exclude"}


def test_what_a_set_asks_already_is_marked_or_left_out() -> None:
    known = [
        Case(id="r", query="refund window", relevant={"r.md": 2}),
        Case(id="b", query="Lost badge"),
    ]
    assert [c.case_id for c in find_candidates(CALLS, known)] == ["r", "b"]
    assert [c.case_id for c in find_candidates(CALLS, known, unjudged_only=True)] == ["b"]


def test_real_records_become_cases_without_a_label(tmp_path: Path) -> None:
    write_notes(tmp_path / "notes")
    with KnowledgeBase.open(tmp_path / "notes", {"state_dir": str(tmp_path / "state")}) as kb:
        for query in ("money back", "Money  back", "door badge"):
            lookup_knowledge(query, kb=kb)
        known = [Case(id="d", query="door badge", relevant={"access/badge.md": 2})]
        (case,) = logged_cases(kb, limit=5, known=known)
        assert logged_cases(kb, limit=0) == ()
    assert (case.query, dict(case.relevant), case.judged) == ("Money  back", {}, False)
    assert case.origin.startswith("trace:")
