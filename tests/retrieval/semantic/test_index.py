import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from retrieval.errors import IndexDamaged, IndexMismatch
from retrieval.filtering import admits
from retrieval.semantic.filters import count_slots, to_row
from retrieval.semantic.index import VectorStore
from retrieval.types import Condition, Entry

AXES = np.eye(4, dtype=np.float32)


ENTRIES = [
    Entry(source="a.md", title="A", categories=("Billing",), metadata={"status": "Live"}),
    Entry(source="b.md", title="B", categories=("Network", "Billing"), metadata={"$or": "x"}),
    Entry(source="c.md", title="C", metadata={"relationships": "none", "#document": "1"}),
]


def admitted(condition: Condition) -> list[str]:
    return [entry.source for entry in ENTRIES if admits(entry, [condition])]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[VectorStore]:
    """Three passages on three axes: two categories in one of them, odd frontmatter in another."""
    slots = count_slots(ENTRIES)
    rows = [to_row(entry, slots) for entry in ENTRIES]
    created = VectorStore.create(tmp_path / "vectors")
    created.add([f"{entry.source}#0" for entry in ENTRIES], AXES[:3], rows)
    created.close()
    opened = VectorStore.open(tmp_path / "vectors", slots=slots, resolve=admitted)
    yield opened
    opened.close()


def test_the_score_is_the_cosine(store: VectorStore) -> None:
    vector = np.array([0.8, 0.6, 0.0, 0.0], dtype=np.float32)
    found = store.query(vector, 10)
    assert [pid for pid, _ in found] == ["a.md#0", "b.md#0", "c.md#0"]
    assert [cosine for _, cosine in found] == pytest.approx([0.8, 0.6, 0.0], abs=1e-6)
    assert store.query(-AXES[0], 3)[-1] == ("a.md#0", pytest.approx(-1.0, abs=1e-6))
    assert store.cosines(vector, ["b.md#0", "missing#0"]) == {"b.md#0": pytest.approx(0.6)}
    assert store.cosines(vector, []) == {}


@pytest.mark.parametrize(
    ("category", "conditions", "expected"),
    [
        ("billing ", (), {"a.md#0", "b.md#0"}),
        ("NETWORK", (), {"b.md#0"}),
        ("Access", (), set()),
        (None, (Condition(key="status", op="eq", values=("LIVE",)),), {"a.md#0"}),
        (None, (Condition(key="status", op="ne", values=("live",)),), {"b.md#0", "c.md#0"}),
        (None, (Condition(key="category", op="nin", values=("billing",)),), {"c.md#0"}),
        (None, (Condition(key="source", op="in", values=("A.md", "c.md")),), {"a.md#0", "c.md#0"}),
        (None, (Condition(key="source", op="eq", values=("gone.md",)),), set()),
        (None, (Condition(key="title", op="nin", values=("A", "b")),), {"c.md#0"}),
        ("Billing", (Condition(key="$or", op="eq", values=("x",)),), {"b.md#0"}),
        (None, (Condition(key="#document", op="eq", values=("1",)),), {"c.md#0"}),
    ],
)
def test_filters_admit_what_they_should(
    store: VectorStore,
    category: str | None,
    conditions: tuple[Condition, ...],
    expected: set[str],
) -> None:
    found = store.query(AXES[0] + AXES[1], 10, category, conditions)
    assert {pid for pid, _ in found} == expected


def test_a_zero_vector_is_near_nothing(store: VectorStore) -> None:
    assert store.query(np.zeros(4, dtype=np.float32), 5) == []


def test_a_query_of_another_dimension_is_a_mismatch(store: VectorStore) -> None:
    with pytest.raises(IndexMismatch, match="7 dimensions"):
        store.query(np.ones(7, dtype=np.float32), 5)


def test_the_probe_counts(store: VectorStore) -> None:
    store.probe(3)
    with pytest.raises(IndexDamaged, match="holds 3 vectors, but 4"):
        store.probe(4)


def test_an_empty_store_answers_with_nothing(tmp_path: Path) -> None:
    store = VectorStore.create(tmp_path / "vectors")
    store.probe(0)
    assert store.query(AXES[0], 5) == []
    assert store.vectors(["a#0"]) == {}
    store.close()


def test_more_rows_than_one_batch_are_stored_and_deleted(tmp_path: Path) -> None:
    number = 6000
    vectors = np.random.default_rng(7).standard_normal((number, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    ids = [f"n.md#{i}" for i in range(number)]
    store = VectorStore.create(tmp_path / "vectors")
    store.add(ids, vectors, [{"source": "n.md"}] * number)
    assert len(store) == number
    store.delete(ids[:5900])
    assert len(store) == 100
    found = store.query(vectors[5950], 200)
    assert len(found) == 100
    assert found[0] == ("n.md#5950", pytest.approx(1.0, abs=1e-5))
    assert sorted(store.vectors(ids)) == sorted(ids[5900:])
    store.close()


def test_a_folder_without_vectors_is_damage_and_stays_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(IndexDamaged, match="no vectors"):
        VectorStore.open(tmp_path)
    (tmp_path / "chroma.sqlite3").write_bytes(b"not a database" * 1000)
    for _ in range(2):  # Chroma remembers the client that it could not start
        with pytest.raises(IndexDamaged, match="cannot be opened"):
            VectorStore.open(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["chroma.sqlite3"]


def test_queries_warn_about_nothing_and_log_nothing(
    store: VectorStore, caplog: pytest.LogCaptureFixture
) -> None:
    with warnings.catch_warnings(record=True) as caught, caplog.at_level("INFO"):
        warnings.simplefilter("always")
        store.query(AXES[0], 3, "Billing")
    assert caught == []
    assert caplog.records == []
