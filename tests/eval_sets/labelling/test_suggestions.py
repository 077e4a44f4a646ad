"""What an edit for a finding would do to the queries, before anybody edits."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from eval_sets.labelling.suggestions import Suggestion, suggest_edits
from eval_sets.types import Case, EvalSet
from retrieval.knowledge.lint import Finding, lint
from retrieval.knowledge_base import KnowledgeBase
from tests.eval_sets.lab import BADGE, REFUND, SHUTTLE, WIFI, indexed, labelled

BARE = "---\ntitle: Meeting rooms\ncategory: office\n---\nThe atrium is booked at the desk.\n"
ROOM = "office/room.md"


def _finding(rule: str, source: str, term: str | None = None) -> Finding:
    data = {} if term is None else {"term": term}
    return Finding(
        rule=rule, severity="warning", source=source, message="m", next_action="n", data=data
    )


def _queries(found: Iterable[object]) -> list[str]:
    return [effect.case.query for effect in found]  # type: ignore[attr-defined]


def _only(suggestions: Iterable[Suggestion]) -> Suggestion:
    (one,) = suggestions
    return one


@pytest.fixture
def with_bare_note(tmp_path: Path) -> Iterable[KnowledgeBase]:
    eval_set = labelled(tmp_path / "set", **{ROOM: BARE})
    with indexed(eval_set, tmp_path / "state") as base:
        yield base


def test_removing_a_keyword_says_which_labelled_query_it_breaks(
    small: EvalSet, base: KnowledgeBase
) -> None:
    text = base.get(REFUND)
    finding = _finding("common_keyword", REFUND, "money back")
    found = _only(suggest_edits(base, [finding], small.cases))
    assert (found.add, found.remove) == ((), ("money back",))
    assert "money back" in _queries(found.broken)
    assert found.gained == ()
    assert base.get(REFUND) == text


def test_removing_a_keyword_that_misleads_is_a_gain(small: EvalSet, base: KnowledgeBase) -> None:
    asked = [Case(id="q", query="shuttle for the guest network", relevant={WIFI: 2})]
    finding = _finding("ambiguous_keyword", SHUTTLE, "shuttle")
    keywords = next(entry.keywords for entry in base.entries if entry.source == SHUTTLE)
    assert "shuttle" in [keyword.casefold() for keyword in keywords]
    found = _only(suggest_edits(base, [finding], asked))
    assert _queries(found.gained) == ["shuttle for the guest network"]
    assert found.broken == ()


def test_a_note_without_keywords_gets_words_of_its_own_queries(
    with_bare_note: KnowledgeBase,
) -> None:
    (finding,) = [
        finding
        for finding in lint(with_bare_note.knowledge)
        if (finding.rule, finding.source) == ("missing_keywords", ROOM)
    ]
    cases = [
        Case(id="1", query="who reserves the conference hall", relevant={ROOM: 2}),
        Case(id="2", query="is the conference hall free", relevant={ROOM: 2}),
        Case(id="3", query="free guest network", relevant={WIFI: 2}),
    ]
    found = _only(suggest_edits(with_bare_note, [finding], cases))
    assert found.add == ("conference hall",)
    assert sorted(_queries(found.gained)) == [
        "is the conference hall free",
        "who reserves the conference hall",
    ]
    assert found.broken == ()


def test_words_that_break_more_than_they_gain_are_not_suggested(
    with_bare_note: KnowledgeBase,
) -> None:
    cases = [
        Case(id="1", query="badge", relevant={ROOM: 1, BADGE: 3}),
        Case(id="2", query="lost badge", relevant={BADGE: 3}),
        Case(id="3", query="new badge", relevant={BADGE: 3}),
    ]
    finding = _finding("missing_keywords", ROOM)
    assert list(suggest_edits(with_bare_note, [finding], cases)) == []


def test_nothing_is_suggested_where_the_queries_say_nothing(
    small: EvalSet, base: KnowledgeBase
) -> None:
    findings = [
        _finding("broken_link", REFUND),
        _finding("dead_keyword", REFUND, "zeppelin"),
        _finding("unused_note", "travel/shuttle.md"),
    ]
    unlabelled = [Case(id="q", query="what about elevators")]
    assert list(suggest_edits(base, findings, unlabelled)) == []
    assert list(suggest_edits(base, findings[:2], small.cases)) == []


def test_a_logged_query_without_a_label_that_a_keyword_catches_counts_as_broken(
    base: KnowledgeBase,
) -> None:
    finding = _finding("unused_note", SHUTTLE)
    cases = [
        Case(id="1", query="airport transfer hours", relevant={SHUTTLE: 2}),
        Case(id="2", query="airport transfer hours for visitors", origin="trace:1"),
    ]
    found = _only(suggest_edits(base, [finding], cases))
    assert _queries(found.gained) == ["airport transfer hours"]
    assert _queries(found.broken) == ["airport transfer hours for visitors"]
