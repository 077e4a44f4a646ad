"""The matrix answers a filtered request as Chroma does."""

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters

from retrieval.errors import IndexDamaged, IndexMismatch
from retrieval.filtering import admits
from retrieval.semantic.filters import count_slots, to_row
from retrieval.semantic.index import VectorStore
from retrieval.semantic.matrix import PassageMatrix, write_matrix
from retrieval.types import Condition, Entry
from tests.builders import passage

CATEGORIES = ("Billing", "Network", "Access", "Facilities")
VALUES = {"status": ("live", "Draft", "old"), "owner": ("Ops", "SRE", "Dev"), "id": ("7", "8")}
DIMENSION = 24


def make_notes(rng: random.Random, number: int = 120) -> list[Entry]:
    """Notes with one to four passages, none to two categories, and fields that some lack."""
    notes = []
    for n in range(number):
        source = f"n{n:03d}.md"
        metadata = {
            key: rng.sample(values, rng.randint(1, 2)) if key == "owner" else rng.choice(values)
            for key, values in VALUES.items()
            if rng.random() < 0.7
        }
        notes.append(
            Entry(
                source=source,
                title=f"Note {n % 30}",
                categories=tuple(rng.sample(CATEGORIES, rng.randint(0, 2))),
                metadata=metadata,
                passages=tuple(passage(source, i) for i in range(rng.randint(1, 4))),
            )
        )
    return notes


def make_request(rng: random.Random) -> tuple[str | None, tuple[Condition, ...]]:
    """A category, conditions with every operator, or both; now and then on what no note has."""
    category = rng.choice((None, *CATEGORIES, "Catering"))
    conditions = []
    for _ in range(rng.randint(0 if category else 1, 2)):
        key = rng.choice(("status", "owner", "id", "title", "source", "category"))
        known = {"title": ("note 3", "Note 4"), "source": ("N001.md", "n002.md")}
        values = VALUES.get(key) or known.get(key, CATEGORIES)
        operator = rng.choice(("eq", "ne", "in", "nin"))
        wanted = rng.sample((*values, "no such"), 1 if operator in ("eq", "ne") else 2)
        conditions.append(Condition(key=key, op=operator, values=tuple(wanted)))  # type: ignore[arg-type]
    return category, tuple(conditions)


def unit_rows(number: int) -> "np.typing.NDArray[np.float32]":
    rows = np.random.default_rng(5).standard_normal((number, DIMENSION)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


NOTES = make_notes(random.Random(2))
IDS = [p.id for note in NOTES for p in note.passages]
SLOTS = count_slots(NOTES)
ROWS = unit_rows(len(IDS))


def admitted(condition: Condition) -> list[str]:
    return [note.source for note in NOTES if admits(note, [condition])]


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[VectorStore, VectorStore]]:
    """The same vectors asked through Chroma alone, and with the matrix."""
    folder = tmp_path_factory.mktemp("vectors")
    created = VectorStore.create(folder)
    rows = [row for note in NOTES for row in [to_row(note, SLOTS)] * len(note.passages)]
    created.add(IDS, ROWS, rows)
    created.close()
    matrix = PassageMatrix(ROWS, NOTES, SLOTS)
    chroma = VectorStore.open(folder, slots=SLOTS, resolve=admitted)
    exact = VectorStore.open(folder, slots=SLOTS, resolve=admitted, matrix=matrix)
    yield chroma, exact
    chroma.close()
    exact.close()


@pytest.mark.parametrize("seed", range(60))
def test_filtered_requests_find_what_chroma_finds(
    stores: tuple[VectorStore, VectorStore], seed: int
) -> None:
    chroma, exact = stores
    rng = random.Random(seed)
    category, conditions = make_request(rng)
    vector = np.array([rng.gauss(0, 1) for _ in range(DIMENSION)], dtype=np.float32)
    vector /= np.linalg.norm(vector)
    for limit in (1, 10, len(IDS)):
        expected = chroma.query(vector, limit, category, conditions)
        found = exact.query(vector, limit, category, conditions)
        assert [pid for pid, _ in found] == [pid for pid, _ in expected]
        assert [c for _, c in found] == pytest.approx([c for _, c in expected], abs=1e-5)


def test_the_requests_of_this_test_admit_none_some_and_all() -> None:
    counts = []
    for seed in range(60):
        category, conditions = make_request(random.Random(seed))
        wanted = [*conditions]
        if category:
            wanted.append(Condition(key="category", op="eq", values=(category,)))
        counts.append(sum(admits(note, wanted) for note in NOTES))
    assert min(counts) == 0
    assert max(counts) > len(NOTES) / 2
    assert sum(0 < count < len(NOTES) / 2 for count in counts) > 20


def test_an_open_request_is_answered_by_chroma(stores: tuple[VectorStore, VectorStore]) -> None:
    chroma, exact = stores
    assert exact.query(ROWS[3], 20) == chroma.query(ROWS[3], 20)


def test_cosines_and_vectors_are_those_of_chroma(stores: tuple[VectorStore, VectorStore]) -> None:
    chroma, exact = stores
    wanted = [*IDS[5:40:3], "missing#0"]
    assert exact.cosines(ROWS[0], wanted) == pytest.approx(
        chroma.cosines(ROWS[0], wanted), abs=1e-6
    )
    assert exact.vectors(wanted).keys() == chroma.vectors(wanted).keys()
    np.testing.assert_allclose(exact.vectors([IDS[7]])[IDS[7]], ROWS[7])
    assert exact.cosines(ROWS[0], []) == {}


def test_equal_cosines_stand_in_the_order_of_the_passages() -> None:
    rows = np.repeat(ROWS[:1], len(IDS), axis=0)
    matrix = PassageMatrix(rows, NOTES, SLOTS)
    everything = MetadataFilters(
        filters=[MetadataFilter(key="source", operator=FilterOperator.NE, value="")]
    )
    found = matrix.query(ROWS[1], 30, everything)
    assert [pid for pid, _ in found] == IDS[:30]


def test_a_query_of_another_dimension_is_a_mismatch(
    stores: tuple[VectorStore, VectorStore],
) -> None:
    vector = np.ones(7, dtype=np.float32)
    with pytest.raises(IndexMismatch, match="7 dimensions"):
        stores[1].query(vector, 5, "Billing")


def test_an_operator_that_is_not_made_here_is_refused() -> None:
    odd = MetadataFilter(key="status", operator=FilterOperator.CONTAINS, value="live")
    with pytest.raises(ValueError, match="contains"):
        PassageMatrix(ROWS, NOTES, SLOTS).query(ROWS[0], 5, MetadataFilters(filters=[odd]))


def test_what_was_written_is_opened(tmp_path: Path) -> None:
    write_matrix(tmp_path / "m.npy", list(ROWS), DIMENSION)
    opened = PassageMatrix.open(tmp_path / "m.npy", NOTES, SLOTS)
    assert opened.cosines(ROWS[0], IDS[:1]) == {IDS[0]: pytest.approx(1.0)}
    write_matrix(tmp_path / "none.npy", [], None)
    assert PassageMatrix.open(tmp_path / "none.npy", [], {}).cosines(ROWS[0], ["a#0"]) == {}


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.unlink(),
        lambda path: path.write_bytes(path.read_bytes()[:-10]),
        lambda path: path.write_bytes(b"\xff" * path.stat().st_size),
        lambda path: path.write_bytes(path.read_bytes()[:-400] + b"\x7f" * 400),
        lambda path: write_matrix(path, list(ROWS[1:]), DIMENSION),
    ],
)
def test_a_file_that_is_not_what_was_written_is_damage(tmp_path: Path, damage) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "m.npy"
    write_matrix(path, list(ROWS), DIMENSION)
    damage(path)
    with pytest.raises(IndexDamaged, match=r"m\.npy"):
        PassageMatrix.open(path, NOTES, SLOTS)
