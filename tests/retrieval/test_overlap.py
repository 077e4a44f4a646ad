import math

import pytest

from retrieval.overlap import HeadlineIndex
from tests.builders import entry

NOTES = [
    entry("a.md", "Refund rules", keywords=["money back"]),
    entry("b.md", "Refund window"),
    entry("c.md", "Parking"),
    entry("d.md", "Badges"),
]


def test_rarity_is_the_idf_of_robertson_and_sparck_jones() -> None:
    index = HeadlineIndex(NOTES)
    assert index.rarity("refund") == pytest.approx(math.log(1 + 2.5 / 2.5))
    assert index.rarity("park") == pytest.approx(math.log(1 + 3.5 / 1.5))
    assert index.rarity("unknown") == pytest.approx(math.log(1 + 4.5 / 0.5))
    assert index.relative_rarity(["park"]) == pytest.approx(1.0)


def test_overlap_is_the_cosine_of_idf_vectors() -> None:
    index = HeadlineIndex(NOTES)
    (first, second) = index.overlaps("refund window")
    assert (first.position, first.words) == (0, ("refund",))
    assert (second.position, second.words) == (1, ("refund", "window"))
    assert second.score == pytest.approx(1.0)
    refund, other = index.rarity("refund"), index.rarity("window")
    expected = refund**2 / math.hypot(refund, other) / math.hypot(refund, other, other, other)
    assert first.score == pytest.approx(expected)


def test_no_shared_word_is_no_overlap() -> None:
    assert HeadlineIndex(NOTES).overlaps("zebra") == []
    assert HeadlineIndex([]).overlaps("refund") == []
    assert HeadlineIndex(NOTES).overlaps("") == []
