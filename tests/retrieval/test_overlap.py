import math
from dataclasses import replace

import pytest

from retrieval.overlap import HEADING_SHARE, HeadlineIndex
from tests.builders import entry, passage

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
    second, first = index.nearest("refund window", 10)
    assert (first.position, first.words) == (0, ("refund",))
    assert (second.position, second.words) == (1, ("refund", "window"))
    assert second.score == pytest.approx(1.0)
    refund, other = index.rarity("refund"), index.rarity("window")
    by_title = HEADING_SHARE * refund**2 / math.hypot(refund, other) ** 2
    with_keywords = refund**2 / math.hypot(refund, other) / math.hypot(refund, other, other, other)
    assert first.score == pytest.approx(max(by_title, with_keywords))
    assert index.overlaps("refund window", [2, 1, 0]) == {1: second, 0: first}


def test_no_shared_word_is_no_overlap() -> None:
    assert HeadlineIndex(NOTES).nearest("zebra", 5) == []
    assert HeadlineIndex([]).nearest("refund", 5) == []
    assert HeadlineIndex(NOTES).nearest("", 5) == []
    assert HeadlineIndex(NOTES).overlaps("refund", [2, 3]) == {}
    assert HeadlineIndex(NOTES).overlaps("zebra", [0]) == {}


@pytest.mark.parametrize("query", ["guide", "guide team", "team guide paper", "guide topic", "ink"])
@pytest.mark.parametrize("share", [1, 7, 4000])
def test_the_nearest_are_those_of_all_notes(query: str, share: int) -> None:
    """Also among thousands of equals, where few postings are read, and when most are refused."""
    notes = []
    for number in range(5000):
        words = ["guide", "team"] if number % 3 else ["guide"]
        words += ["paper"] * (number % 50 == 7) + [f"topic{number % 9}"] + ["ink"] * (number > 4990)
        notes.append(entry(f"{number:05d}.md", " ".join(words)))
    index = HeadlineIndex(notes)
    everything = index.overlaps(query, range(len(notes))).values()
    expected = sorted(
        (overlap for overlap in everything if overlap.position % share == 0),
        key=lambda overlap: (-overlap.score, overlap.position),
    )
    found = index.nearest(query, 50, lambda position: position % share == 0)
    assert found == expected[:50]


def test_a_query_is_compared_with_each_heading_by_itself() -> None:
    note = entry("a.md", "Refund rules", keywords=["money back"])
    sections = tuple(
        replace(passage("a.md", i), breadcrumb=("Refund rules", heading))
        for i, heading in enumerate(["Late parcels", "Broken parcels"])
    )
    index = HeadlineIndex([replace(note, passages=sections), entry("b.md", "Late trains")])
    first, second = index.nearest("late parcels", 10)
    assert (first.position, first.heading) == (0, "Late parcels")
    assert first.score == pytest.approx(HEADING_SHARE)
    assert (second.position, second.heading) == (1, None)
    assert index.overlaps("refund rules money back", [0])[0].heading is None
