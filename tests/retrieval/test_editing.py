"""A base with edited notes answers as the real one does after the edit and an index run."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from retrieval.editing import EditedBase
from retrieval.knowledge import NoteRefused
from retrieval.knowledge_base import KnowledgeBase
from retrieval.types import LookupMode, LookupResult
from tests.notes import NOTES, write_notes

SETTINGS = {"embedding": {"model": "hash:256"}}
REFUND, WIFI, NEW = "billing/refund.md", "network/wifi.md", "travel/bikes.md"
QUERIES = (
    "money back",
    "disputes a payment with the bank",
    "guest network",
    "bicycle shed",
    "reimbursement within thirty days",
    "shuttle visitors join with a code from the reception",
)
MODES: tuple[LookupMode, ...] = ("l0", "l1", "l0+l1")
EDITS = {
    "keywords": {REFUND: NOTES[REFUND].replace("[refund policy,", "[reimbursement, shuttle,")},
    "body": {WIFI: NOTES[WIFI] + "\n## Bicycles\nThe bicycle shed has a network of its own.\n"},
    "category": {WIFI: NOTES[WIFI].replace("category: network", "category: travel")},
    "title": {REFUND: NOTES[REFUND].replace("Refund policy", "Reimbursement")},
    "added": {NEW: "# Bicycle shed\n\nThe code of the bicycle shed is at the reception.\n"},
    "deleted": {REFUND: None},
}


@pytest.fixture
def base(tmp_path: Path) -> Iterator[KnowledgeBase]:
    write_notes(tmp_path / "notes")
    with KnowledgeBase.open(tmp_path / "notes", SETTINGS) as opened:
        opened.reindex()
        yield opened


def _seen(result: LookupResult) -> dict[str, object]:
    """The answer without times and names; passages of equal cosine may stand in any order."""
    found = result.to_dict()
    return {
        "blocks": [
            (
                block.source,
                block.title,
                block.retrieval_layer,
                block.content,
                round(block.rank_score, 5),
                None if block.score is None else round(block.score, 5),
                [(reason.kind, reason.layer) for reason in block.hit_reasons],
                [(p.line_start, p.line_end) for p in block.passages],
            )
            for block in result.evidence_blocks
        ],
        "filter": result.filter,
        "relevance": (result.relevance.level, round(result.relevance.confidence, 5)),
        **{name: found[name] for name in ("outcome", "retrieval_layer", "l0_hints", "counts")},
    }


def _answers(kb: KnowledgeBase) -> list[dict[str, object]]:
    return [_seen(kb.lookup(query, mode=mode)) for query in QUERIES for mode in MODES]


@pytest.mark.parametrize("name", list(EDITS))
def test_it_answers_as_after_the_edit_and_an_index_run(
    base: KnowledgeBase, tmp_path: Path, name: str
) -> None:
    edited = EditedBase(base, EDITS[name])
    before = {path: path.read_bytes() for path in (tmp_path / "notes").rglob("*.md")}
    answers = _answers(edited)
    assert {path: path.read_bytes() for path in (tmp_path / "notes").rglob("*.md")} == before

    shutil.copytree(tmp_path / "notes", tmp_path / "copy")
    for source, text in EDITS[name].items():
        path = tmp_path / "copy" / source
        if text is None:
            path.unlink()
        else:
            path.write_text(text, encoding="utf-8")
    with KnowledgeBase.open(tmp_path / "copy", SETTINGS) as real:
        real.reindex()
        assert answers == _answers(real)


def test_only_what_changed_is_embedded(base: KnowledgeBase) -> None:
    class Counting:
        def __init__(self) -> None:
            self.texts: list[str] = []
            self.spec, self.measure = base.embedder.spec, base.embedder.measure
            self.embed_query, self.is_loaded = base.embedder.embed_query, True

        def embed_passages(self, texts: list[str], progress: object = None) -> object:
            self.texts += texts
            return base.embedder.embed_passages(texts)

    counting = Counting()
    with KnowledgeBase(base.settings, base.location, embedder=counting) as counted:  # type: ignore[arg-type]
        EditedBase(counted, EDITS["keywords"])
        assert counting.texts == []
        EditedBase(counted, EDITS["body"])
    assert len(counting.texts) == 1
    assert "shed" in counting.texts[0]


def test_filters_of_the_caller_see_the_edited_note(base: KnowledgeBase) -> None:
    edited = EditedBase(base, EDITS["category"])
    found = edited.lookup("guest network", filters={"category": "travel"}, mode="l1")
    assert WIFI in [block.source for block in found.evidence_blocks]
    left = edited.lookup("guest network", filters={"category": "network"}, mode="l1")
    assert WIFI not in [block.source for block in left.evidence_blocks]


def test_without_an_index_words_answer(tmp_path: Path) -> None:
    write_notes(tmp_path)
    with KnowledgeBase.open(tmp_path, SETTINGS) as plain:
        result = EditedBase(plain, EDITS["keywords"]).lookup("reimbursement")
    assert result.outcome == "fallback"
    assert result.primary is not None
    assert result.primary.source == REFUND


def test_a_text_that_is_no_note_is_refused(base: KnowledgeBase) -> None:
    with pytest.raises(NoteRefused, match=REFUND):
        EditedBase(base, {REFUND: "---\ntitle: [open\n---\n"})
