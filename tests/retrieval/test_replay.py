"""Recorded lookups, run again after the notes changed."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from retrieval import KnowledgeBase, lookup_knowledge
from retrieval.records import ToolInvocation
from retrieval.replay import Move, Status, replay
from tests.notes import write_notes


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[KnowledgeBase]:
    write_notes(tmp_path / "notes")
    (tmp_path / "knowledge.toml").write_text('root = "notes"\n[embedding]\nmodel = "hash:64"\n')
    with KnowledgeBase.open(tmp_path) as base:
        base.reindex()
        yield base


def ask(kb: KnowledgeBase, query: str, **options: object) -> ToolInvocation:
    result = lookup_knowledge(query, kb=kb, **options)  # type: ignore[arg-type]
    assert result.invocation_id
    return kb.records().get(result.invocation_id)


def test_nothing_changed_and_nothing_is_recorded(kb: KnowledgeBase) -> None:
    then = [ask(kb, "refund policy"), ask(kb, "vpn", filters={"category": "network"}, top_k=1)]
    done = replay(kb, then)
    assert [call.status for call in done.calls] == ["same", "same"]
    assert [call.id for call in done.calls] == [call.id for call in then]
    assert kb.records().count() == 2
    assert done.calls[0].fingerprint["index"] == kb.fingerprint.index
    assert done.calls[0].fingerprint_now == kb.fingerprint


def test_a_note_that_moved_and_one_that_vanished(kb: KnowledgeBase) -> None:
    moved, gone = ask(kb, "vpn", mode="l0"), ask(kb, "shuttle", mode="l0")
    root = kb.location.root
    (root / "network/vpn.md").rename(root / "network/remote.md")
    (root / "travel/shuttle.md").unlink()
    kb.reindex()
    first, second = replay(kb, [moved, gone]).calls
    assert first.status == "changed"
    assert first.moved == (Move(source="network/vpn.md", now="network/remote.md"),)
    assert (first.gained, first.lost, first.vanished) == ((), (), ())
    assert (first.primary, first.primary_now) == ("network/vpn.md", "network/remote.md")
    assert (second.status, second.outcome, second.outcome_now) == (
        "outcome_changed",
        "evidence",
        "no_evidence",
    )
    assert second.lost == second.vanished == ("travel/shuttle.md",)
    assert second.fingerprint["index"] != kb.fingerprint.index


def test_gained_lost_and_another_order(kb: KnowledgeBase) -> None:
    then = ask(kb, "badge or wifi", mode="l0")
    blocks = then.retrieval_details["evidence_blocks"]
    assert len(blocks) == 2
    turned = replace(
        then, retrieval_details={**then.retrieval_details, "evidence_blocks": blocks[::-1]}
    )
    assert [call.status for call in replay(kb, [turned]).calls] == ["reordered"]
    path = kb.location.root / "access/badge.md"
    path.write_text(path.read_text().replace("keywords: [badge]", "keywords: [key]"))
    path.write_text(path.read_text().replace("title: Door badges", "title: Doors"))
    (kb.location.root / "access/new.md").write_text("---\nkeywords: [badge]\n---\nNew.\n")
    kb.reindex()
    (call,) = replay(kb, [then]).calls
    assert (call.gained, call.lost, call.vanished) == (
        ("access/new.md",),
        ("access/badge.md",),
        (),
    )


def test_what_cannot_be_replayed_says_why_and_the_rest_goes_on(kb: KnowledgeBase) -> None:
    then = ask(kb, "refund policy")
    calls = [
        replace(then, query=None),
        replace(then, arguments={"filters": {"colour": "red"}}),
        replace(then, arguments={"speed": 3}),
        replace(then, tool_name="other"),
        then,
    ]
    done = replay(kb, calls)
    assert [call.status for call in done.calls] == ["not_replayed"] * 4 + ["same"]
    reasons = [call.reason or "" for call in done.calls]
    assert "not recorded" in reasons[0]
    assert "colour" in reasons[1]
    assert "speed" in reasons[2]
    assert "other" in reasons[3]
    assert done.count("not_replayed") == 4


def test_a_refusal_stays_a_refusal(kb: KnowledgeBase) -> None:
    blank, wrong = ask(kb, "?!"), ask(kb, "vpn", filters={"colour": "red"})
    assert {blank.outcome, wrong.outcome} == {"refused"}
    assert [call.status for call in replay(kb, [blank, wrong]).calls] == ["same", "same"]


def test_a_shortened_record_is_compared_as_far_as_it_goes(kb: KnowledgeBase) -> None:
    then = ask(kb, "refund policy and badge at the reception")
    blocks = then.retrieval_details["evidence_blocks"]
    assert len(blocks) > 1
    details = {**then.retrieval_details, "evidence_blocks": blocks[:1]}
    (call,) = replay(kb, [replace(then, retrieval_details=details)]).calls
    assert (call.status, call.partial) == ("same", True)


def test_json_has_every_status_and_no_other_values(kb: KnowledgeBase) -> None:
    data = replay(kb, [ask(kb, "refund policy")]).to_dict()
    json.dumps(data, allow_nan=False)
    assert list(data["counts"]) == list(get_args(Status))
    assert data["counts"]["same"] == 1
    assert data["calls"][0]["created_at"].endswith("+00:00")
