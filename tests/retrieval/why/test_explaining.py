"""Where a note is lost, on a small real knowledge base: one test for each stage."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval import KnowledgeBase
from retrieval.errors import EmptyQuery, UnknownFilter, UnknownSource
from retrieval.why import Absence, Stage, explain_absence
from tests.notes import NOTES, write_notes

SETTINGS = 'root = "notes"\n[embedding]\nmodel = "hash:64"\n[knowledge]\nexclude = ["drafts"]\n'
REFUND, VPN = "billing/refund.md", "network/vpn.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("why")
    write_notes(folder / "notes")
    (folder / "knowledge.toml").write_text(SETTINGS)
    return folder


@pytest.fixture(scope="module")
def kb(folder: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(folder) as base:
        base.reindex()
        yield base


@pytest.fixture
def own(tmp_path: Path) -> Iterator[KnowledgeBase]:
    """A knowledge base of its own, indexed, whose folder a test may change."""
    write_notes(tmp_path / "notes")
    (tmp_path / "knowledge.toml").write_text(SETTINGS)
    with KnowledgeBase.open(tmp_path) as base:
        base.reindex()
        yield base


def stage(absence: Absence, name: str) -> Stage:
    return next(stage for stage in absence.stages if stage.name == name)


def check(absence: Absence) -> Absence:
    """What holds of every explanation."""
    names = [stage.name for stage in absence.stages]
    lost = [stage.name for stage in absence.stages if stage.state == "lost"]
    in_answer = absence.source in {b.source for b in absence.result.evidence_blocks}
    assert len(set(names)) == len(names) == 9
    assert lost == ([] if in_answer else [absence.lost_at])
    assert (absence.rank is not None) == in_answer
    json.dumps(absence.to_dict(), allow_nan=False)
    return absence


def test_a_note_in_the_answer_is_said_to_be_there(kb: KnowledgeBase) -> None:
    found = check(explain_absence(kb, "refund policy", REFUND))
    assert (found.rank, found.lost_at) == (1, None)
    assert found.headline.startswith(f"{REFUND} is in the answer, at rank 1 of ")
    assert stage(found, "l0").facts["hits"][0]["term"] == "refund policy"
    assert stage(found, "budget").facts["passages"] >= 1
    assert found.remedies == ()


def test_what_l1_found_instead_is_counted(tmp_path: Path) -> None:
    for number in range(250):
        near = f"Tram line {number} stops at the harbour."
        (tmp_path / f"{number}.md").write_text(f"# Note {number}\n\n{near if number else 'Zinc'}\n")
    with KnowledgeBase.open(tmp_path, {"embedding": {"model": "hash:64"}}) as base:
        base.reindex()
        lost = stage(check(explain_absence(base, "tram stops harbour", "0.md")), "l1")
        found = base.lookup("tram stops harbour").l1.candidates
    assert 0 < len(found) < 250
    assert lost.facts["notes"] == len({candidate.source for candidate in found})
    assert lost.text.startswith(f"L1 found {len(found)} passages of ")


@pytest.mark.parametrize("written", [r"billing\refund.md", "./billing/refund.md"])
def test_a_source_may_be_written_otherwise(kb: KnowledgeBase, written: str) -> None:
    assert explain_absence(kb, "refund", written).source == REFUND


def test_an_unknown_source_gives_near_names(kb: KnowledgeBase) -> None:
    with pytest.raises(UnknownSource, match=r"billing/refund\.md"):
        explain_absence(kb, "refund", "refund.md")
    with pytest.raises(UnknownSource):
        explain_absence(kb, "refund", "../knowledge.toml")
    with pytest.raises(UnknownSource) as error:
        explain_absence(kb, "badge", "refund.md", filters={"category": "access"})
    assert "billing/refund.md" not in str(error.value)


def test_a_blank_query_and_a_wrong_filter_are_errors(kb: KnowledgeBase) -> None:
    with pytest.raises(EmptyQuery):
        explain_absence(kb, "?!", REFUND)
    with pytest.raises(UnknownFilter):
        explain_absence(kb, "refund", REFUND, filters={"colour": "red"})


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("drafts/new.md", "exclude"),
        (".hidden.md", "hidden"),
        ("node_modules/a.md", "node_modules"),
        ("plan.txt", "include"),
    ],
)
def test_a_file_that_is_not_read(own: KnowledgeBase, source: str, reason: str) -> None:
    path = own.location.root / source
    path.parent.mkdir(exist_ok=True)
    path.write_text("# New\n")
    found = check(explain_absence(own, "refund", source))
    assert found.lost_at == "file"
    assert reason in found.headline


def test_a_file_that_cannot_be_read_as_a_note(own: KnowledgeBase) -> None:
    (own.location.root / "bad.md").write_text("---\ntitle: a: secret\n---\n")
    found = check(explain_absence(own, "refund", "bad.md"))
    assert (found.lost_at, stage(found, "file").facts["line"]) == ("file", 2)
    own.reindex()
    assert explain_absence(own, "refund", "bad.md").lost_at == "file"
    told = explain_absence(own, "badge", "bad.md", filters={"category": "access"})
    assert "secret" not in json.dumps(told.to_dict())


def test_a_note_that_the_index_does_not_hold_yet(own: KnowledgeBase) -> None:
    (own.location.root / "new.md").write_text("# Refund policy for partners\n")
    found = check(explain_absence(own, "refund policy for partners", "new.md"))
    assert found.lost_at == "index"
    own.reindex()
    assert check(explain_absence(own, "refund policy for partners", "new.md")).rank == 1


def test_a_note_that_changed_since_or_is_gone(own: KnowledgeBase) -> None:
    path = own.location.root / REFUND
    path.write_text(NOTES[REFUND] + "\nMore.\n")
    os.utime(path, ns=(1, 1))
    found = check(explain_absence(own, "refund policy", REFUND))
    assert (found.rank, stage(found, "index").facts["stale"]) == (1, True)
    path.unlink()
    found = check(explain_absence(own, "refund policy", REFUND))
    assert (stage(found, "file").facts["exists"], stage(found, "index").state) == (False, "passed")


def test_without_an_index_l0_is_what_counts(tmp_path: Path) -> None:
    write_notes(tmp_path / "notes")
    (tmp_path / "knowledge.toml").write_text(SETTINGS)
    with KnowledgeBase.open(tmp_path) as base:
        found = check(explain_absence(base, "chargeback", "travel/shuttle.md"))
    assert (found.lost_at, stage(found, "index").state) == ("l0", "skipped")
    assert "not_ready" in found.headline


def test_a_callers_filter(kb: KnowledgeBase) -> None:
    found = check(explain_absence(kb, "refund policy", REFUND, filters={"category": "network"}))
    assert found.lost_at == "caller_filter"
    assert stage(found, "caller_filter").facts["note_values"] == ["billing"]
    assert stage(found, "l0").state == "not_reached"
    assert found.remedies == ()


@pytest.mark.parametrize(
    "filters",
    [
        {"category": "network"},
        {"title": "Remote access"},
        {"title": {"ne": "Refund policy"}, "category": "network"},
        {"keywords": "vpn"},
        {"keywords": {"nin": ["money back", "x"]}},
    ],
)
@pytest.mark.parametrize("mode", ["l0", "l1", "l0+l1"])
def test_an_excluded_note_does_not_leak(
    kb: KnowledgeBase, mode: str, filters: dict[str, object]
) -> None:
    """Neither title, keywords nor text, whatever is asked, except what the caller wrote himself."""
    query = "time limit of the purchase"
    found = check(explain_absence(kb, query, REFUND, filters=filters, mode=mode))  # type: ignore[arg-type]
    assert found.lost_at == "caller_filter"
    said = json.dumps(found.to_dict()).casefold()
    said = said.replace(json.dumps(stage(found, "caller_filter").facts["values"]).casefold(), "")
    given = json.dumps(filters).casefold()
    for secret in ("refund policy", "money back", "thirty days", "card that was charged"):
        assert secret not in said or secret in given


def test_no_keyword_match_and_the_nearest_term(kb: KnowledgeBase) -> None:
    found = check(explain_absence(kb, "visitors use a guest login", "network/wifi.md", mode="l0"))
    # It shares a word, so it is a near match and in the answer of L0.
    assert found.rank is not None
    nearest = stage(found, "l0").facts["nearest"]
    assert (nearest["term"], nearest["kind"]) == ("guest network", "words_missing")
    assert "login" in stage(found, "l0").facts["missing_words"]
    lost = check(explain_absence(kb, "chargeback", VPN, mode="l0"))
    assert lost.lost_at == "l0"
    assert lost.remedies[0].change == {"mode": "l0+l1"}


@pytest.mark.parametrize("fault", ["l1-raises", "l1-empty", "l1-timeout", "l1-off"])
def test_a_fault_of_l1_is_said(kb: KnowledgeBase, fault: str) -> None:
    found = check(explain_absence(kb, "chargeback", "travel/shuttle.md", fault=fault))  # type: ignore[arg-type]
    assert found.lost_at in ("l0", "l1", "derived_filter")
    present = check(explain_absence(kb, "chargeback", "billing/chargeback.md", fault=fault))  # type: ignore[arg-type]
    assert present.rank == 1


def test_outside_the_derived_category(kb: KnowledgeBase) -> None:
    found = check(explain_absence(kb, "vpn badge cost", REFUND, filter_mode="off", l1_mode="dense"))
    assert stage(found, "derived_filter").state == "skipped"
    lost = check(explain_absence(kb, "chargeback", VPN, filter_mode="strict"))
    assert lost.lost_at == "derived_filter"
    facts = stage(lost, "derived_filter").facts
    assert (facts["category"], facts["note_categories"]) == ("billing", ["network"])
    assert "keyword 'chargeback' of billing/chargeback.md" in lost.headline
    (remedy,) = [r for r in lost.remedies if r.change == {"filter_mode": "off"}]
    answer = kb.lookup("chargeback", filter_mode="off")
    sources = [block.source for block in answer.evidence_blocks]
    assert remedy.rank == sources.index(VPN) + 1
    assert remedy.helps


def test_auto_says_by_how_much_it_trails(kb: KnowledgeBase) -> None:
    query = "chargeback dispute with the bank, evidence of the order"
    lost = check(explain_absence(kb, query, VPN))
    facts = stage(lost, "derived_filter").facts
    assert lost.lost_at == "derived_filter"
    assert facts["cosine"] < max(facts["semantic_floor"], facts["best_cosine_inside"])
    assert f"{facts['cosine']:.2f}" in lost.headline


def test_below_min_score(kb: KnowledgeBase) -> None:
    query = "the tunnel from home"
    lost = check(explain_absence(kb, query, "travel/shuttle.md", mode="l1", min_score=0.99))
    assert lost.lost_at == "min_score"
    facts = stage(lost, "min_score").facts
    assert facts["cosine"] < 0.99 == facts["min_score"]


def test_beyond_top_k(kb: KnowledgeBase) -> None:
    full = kb.lookup("badge at the reception, and the guest network", mode="l1")
    third = full.evidence_blocks[2]
    lost = check(explain_absence(kb, full.query, third.source, mode="l1", top_k=2))
    facts = stage(lost, "top_k").facts
    assert (lost.lost_at, facts["rank"], facts["top_k"]) == ("top_k", 3, 2)
    assert facts["last_source"] == full.evidence_blocks[1].source
    assert lost.remedies[0].change == {"top_k": 3}
    assert lost.remedies[0].rank == 3


def test_dropped_by_the_budget(kb: KnowledgeBase) -> None:
    query = "badge at the reception, and the guest network"
    last = kb.lookup(query, mode="l1").evidence_blocks[-1].source
    lost = check(explain_absence(kb, query, last, mode="l1", budget=900))
    assert lost.lost_at == "budget"
    assert lost.remedies[0].helps


def test_not_among_what_l1_found(kb: KnowledgeBase) -> None:
    lost = check(explain_absence(kb, "chargeback", VPN, mode="l1", l1_mode="fulltext"))
    assert lost.lost_at == "l1"
    tried = {tuple(remedy.change.items()): remedy.rank for remedy in lost.remedies}
    assert tried.keys() >= {(("l1_mode", "dense"),), (("l1_mode", "hybrid"),)}
    dense = kb.lookup("chargeback", mode="l1", l1_mode="dense", filter_mode="off")
    sources = [block.source for block in dense.evidence_blocks]
    assert tried[("l1_mode", "dense"),] == sources.index(VPN) + 1
