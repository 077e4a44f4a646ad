"""What a replay changed, in words."""

from dataclasses import replace
from datetime import UTC, datetime

from retrieval.replay import Move, Replay, Replayed
from retrieval.types import Fingerprint
from workbench.presenters.replay import changed_parts, replay_card, summary_line
from workbench.presenters.traces import clock_of

CALL = Replayed(
    id="1",
    created_at=datetime(2026, 3, 1, tzinfo=UTC),
    query="refund",
    status="changed",
    outcome="evidence",
    outcome_now="evidence",
    primary="a.md",
    primary_now="b.md",
    gained=("c.md",),
    lost=("d.md", "e.md"),
    vanished=("e.md",),
    moved=(Move(source="f.md", now="g.md"),),
    fingerprint={"config": "1", "index": "2", "embedding": "3"},
    fingerprint_now=Fingerprint(config="1", index="9", embedding="3"),
)


def test_a_card_says_what_came_what_fell_out_and_why() -> None:
    card = replay_card(CALL, clock_of(None))
    for text in (
        "a.md → b.md",
        "c.md",
        "d.md, e.md (no note any more)",
        "f.md → g.md",
        "index changed since",
    ):
        assert text in card


def test_a_change_without_another_fingerprint_is_said_too() -> None:
    same = replace(CALL, fingerprint_now=Fingerprint(config="1", index="2", embedding="3"))
    assert changed_parts(same) == ()
    assert "nothing: the same settings and index" in replay_card(same, clock_of(None))


def test_what_could_not_be_replayed_gives_its_reason() -> None:
    call = replace(CALL, status="not_replayed", reason="The query was not recorded.", query=None)
    card = replay_card(call, clock_of(None))
    assert "The query was not recorded." in card
    assert "a.md" not in card


def test_the_summary_counts_by_status() -> None:
    calls = (CALL, replace(CALL, status="same"), CALL)
    assert summary_line(Replay(calls=calls)) == "same answer: 1 · other notes: 2"
