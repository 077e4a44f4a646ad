"""Two answers to one labelled query in one table."""

from pathlib import Path

import pytest

from retrieval.knowledge_base import KnowledgeBase
from retrieval.types import LookupResult
from tests.eval_sets.samples import case
from workbench.presenters.paired import present_labels, present_pair

REFUND, WIFI = "billing/refund.md", "network/wifi.md"


@pytest.fixture
def answers(notes: Path) -> tuple[LookupResult, LookupResult]:
    with KnowledgeBase.open(notes) as base:
        return base.lookup("money back", mode="l0"), base.lookup("money back", top_k=3)


def _rows(answers: tuple[LookupResult, LookupResult], **labels: object) -> list[str]:
    of = case("q1", query="money back", **labels)
    drawn = present_pair(of, *answers, names=("<l0>", "both"), titles={})
    assert "&lt;l0&gt;" in drawn
    return str(drawn).split("<tr")[2:]


def test_grades_stand_beside_the_notes(answers: tuple[LookupResult, LookupResult]) -> None:
    rows = _rows(answers, relevant={REFUND: 3})
    assert REFUND in rows[0]
    assert "grade 3" in rows[0]
    assert 'title="same rank"' in rows[0]
    assert all("grade 3" not in row for row in rows[1:])
    assert any('title="only in B"' in row for row in rows[1:])


def test_a_labelled_note_that_neither_found_is_the_last_row(
    answers: tuple[LookupResult, LookupResult],
) -> None:
    rows = _rows(answers, relevant={"gone/note.md": 2, REFUND: 0})
    assert "gone/note.md" in rows[-1]
    assert rows[-1].count("not found") == 2
    assert "not relevant" in rows[0]


def test_labels_are_told_in_a_sentence() -> None:
    assert present_labels(case(expect_no_answer=True)) == "Labelled: no note answers it."
    assert present_labels(case()) == "Not judged."
    told = present_labels(case(relevant={REFUND: 1, WIFI: 0}, exclude=("x.md",)))
    assert told == "Labelled: 1 relevant note; 1 note left out."
