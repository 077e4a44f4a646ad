import random

import pytest

from retrieval.filtering import admits, is_within
from retrieval.semantic.admission import Admission
from retrieval.types import Condition, Entry

ENTRIES = {
    f"{n:02d}.md": Entry(
        source=f"{n:02d}.md",
        title=f"Note {n}",
        categories=tuple(random.Random(n).sample(("Billing ", "billing", "Cloud-Servers"), n % 3)),
        metadata={"status": "Live" if n % 2 else "draft"} if n % 5 else {},
    )
    for n in range(40)
}
SOURCES = sorted(ENTRIES, reverse=True)  # the order of full text counts, not that of the notes
ADMISSION = Admission(ENTRIES, SOURCES, [s for s in SOURCES for _ in range(2)])
CONDITIONS = (
    (),
    (Condition(key="status", op="eq", values=("LIVE",)),),
    (Condition(key="status", op="nin", values=("live", "old")),),
    (
        Condition(key="category", op="ne", values=("cloud servers",)),
        Condition(key="source", op="in", values=("03.md", "04.md", "07.md")),
    ),
)


@pytest.mark.parametrize("category", [None, "BILLING", "cloud_servers", "nowhere", ""])
@pytest.mark.parametrize("conditions", CONDITIONS)
def test_a_mask_says_what_the_filter_says(
    category: str | None, conditions: tuple[Condition, ...]
) -> None:
    expected = [
        (category is None or is_within(ENTRIES[s], category)) and admits(ENTRIES[s], conditions)
        for s in SOURCES
    ]
    for _ in range(2):  # the second time from what is remembered
        assert ADMISSION.mask(category, conditions).tolist() == expected


def test_other_notes_come_in_by_name_and_for_once() -> None:
    first = ADMISSION.mask("nowhere", (), also=["05.md"])
    assert [SOURCES[n] for n in first.nonzero()[0]] == ["05.md"]
    assert not ADMISSION.mask("nowhere", ()).any()


def test_passages_know_the_position_of_their_note() -> None:
    assert ADMISSION.note_of.tolist() == [n for n in range(40) for _ in range(2)]
    assert ADMISSION.position(SOURCES[7]) == 7
