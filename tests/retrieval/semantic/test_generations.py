import json
import os
from pathlib import Path

import pytest

from retrieval.errors import IndexDamaged, IndexMismatch
from retrieval.semantic.embedding import open_embedder
from retrieval.semantic.generations import (
    INDEX_SCHEMA,
    EmbeddingIdentity,
    Manifest,
    current_generation,
    file_sizes,
    index_digest,
    index_folder,
    knowledge_digest,
    new_generation,
    publish,
    read_manifest,
)
from retrieval.semantic.pruning import remove_old_generations
from retrieval.settings import EmbeddingSection, KnowledgeSettings

EMBEDDING = EmbeddingIdentity(name="hash:64", dimension=64, digest="d", window=256)


def published(state_dir: Path) -> Path:
    index_folder(state_dir).mkdir(parents=True, exist_ok=True)
    folder = new_generation(state_dir)
    (folder / "vectors").mkdir()
    (folder / "vectors" / "data.bin").write_bytes(b"12345")
    manifest = Manifest(
        generation=folder.name,
        created_at="2026-01-01T00:00:00+00:00",
        embedding=EMBEDDING,
        knowledge_digest="k",
        files={"a.md": (1, 2, "h")},
        passages=1,
        slots={"category": 1},
        index_digest="i",
        sizes=file_sizes(folder),
    )
    publish(folder, manifest)
    return folder


def test_there_is_no_generation_before_the_first(tmp_path: Path) -> None:
    assert current_generation(tmp_path) is None


def test_the_last_published_generation_is_current(tmp_path: Path) -> None:
    first = published(tmp_path)
    assert current_generation(tmp_path) == first
    second = published(tmp_path)
    assert current_generation(tmp_path) == second
    assert first.name < second.name
    manifest = read_manifest(second)
    assert manifest.generation == second.name
    assert manifest.sizes == {"vectors/data.bin": 5}
    assert manifest.files == {"a.md": (1, 2, "h")}


def test_an_unfinished_generation_is_never_current(tmp_path: Path) -> None:
    first = published(tmp_path)
    (new_generation(tmp_path) / "vectors").mkdir()
    assert current_generation(tmp_path) == first


@pytest.mark.parametrize("text", ["", "gen-gone", "../..", "\udcff"])
def test_a_pointer_to_nothing_is_damage(tmp_path: Path, text: str) -> None:
    published(tmp_path)
    (index_folder(tmp_path) / "CURRENT").write_bytes(os.fsencode(text))
    with pytest.raises(IndexDamaged, match="CURRENT"):
        current_generation(tmp_path)


def test_cut_and_missing_files_are_found(tmp_path: Path) -> None:
    folder = published(tmp_path)
    data = folder / "vectors" / "data.bin"
    data.write_bytes(b"1234")
    with pytest.raises(IndexDamaged, match="has 4 bytes, not 5"):
        read_manifest(folder)
    data.unlink()
    with pytest.raises(IndexDamaged, match="is missing"):
        read_manifest(folder)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", f'{{"schema_version": "{INDEX_SCHEMA}", "odd": 1}}', "\x00", "[" * 100_000],
)
def test_a_manifest_that_cannot_be_read_is_damage(tmp_path: Path, text: str) -> None:
    folder = published(tmp_path)
    (folder / "manifest.json").write_text(text)
    with pytest.raises(IndexDamaged, match=r"manifest\.json cannot be read"):
        read_manifest(folder)


def test_the_format_of_another_release_is_a_mismatch(tmp_path: Path) -> None:
    folder = published(tmp_path)
    (folder / "manifest.json").write_text(json.dumps({"schema_version": "99", "new": True}))
    with pytest.raises(IndexMismatch, match="format 99"):
        read_manifest(folder)


def test_superseded_and_unfinished_generations_go(tmp_path: Path) -> None:
    for _ in range(3):
        published(tmp_path)
    new_generation(tmp_path)
    current = published(tmp_path)
    names = sorted(p.name for p in index_folder(tmp_path).glob("gen-*"))
    finished = [n for n in names if (index_folder(tmp_path) / n / "manifest.json").is_file()]

    remove_old_generations(tmp_path)
    left = sorted(p.name for p in index_folder(tmp_path).glob("gen-*"))
    assert left == finished

    remove_old_generations(tmp_path, in_flight_seconds=0)
    left = sorted(p.name for p in index_folder(tmp_path).glob("gen-*"))
    assert left == finished[-2:]

    remove_old_generations(tmp_path, grace_seconds=0, in_flight_seconds=0)
    assert [p.name for p in index_folder(tmp_path).glob("gen-*")] == [current.name]


def test_a_clock_that_was_set_back_does_not_disturb_the_order(tmp_path: Path) -> None:
    ahead = index_folder(tmp_path) / "gen-20991231t235959999999-abcd"
    published(tmp_path).rename(ahead)
    (index_folder(tmp_path) / "CURRENT").write_text(ahead.name)
    os.utime(ahead / "manifest.json", (4e9, 4e9))
    second = published(tmp_path)
    assert second.name > ahead.name
    assert current_generation(tmp_path) == second
    third = published(tmp_path)
    os.utime(third / "manifest.json", (4e9, 4e9))  # superseded `second`, says a wrong clock
    remove_old_generations(tmp_path)
    # The newest of the old ones has no time that can be believed, the one before has.
    assert sorted(p.name for p in index_folder(tmp_path).glob("gen-*")) == [ahead.name, third.name]


def test_digests_name_what_changes_an_answer() -> None:
    settings = KnowledgeSettings()
    assert knowledge_digest(settings, 256) == knowledge_digest(KnowledgeSettings(), 256)
    assert knowledge_digest(settings, 256) != knowledge_digest(settings, 128)
    other = KnowledgeSettings(category=("team",))
    assert knowledge_digest(settings, 256) != knowledge_digest(other, 256)

    base = index_digest({"a.md": (1, 2, "h")}, EMBEDDING, "k")
    assert base == index_digest({"a.md": (9, 9, "h"), "bad.md": (1, 1, "")}, EMBEDDING, "k")
    assert base != index_digest({"a.md": (1, 2, "g")}, EMBEDDING, "k")
    assert base != index_digest({"b.md": (1, 2, "h")}, EMBEDDING, "k")


def test_vectors_can_be_compared_when_model_and_dimension_agree() -> None:
    spec = open_embedder(EmbeddingSection(model="hash:64")).spec
    own = EmbeddingIdentity(name="hash:64", dimension=64, digest=spec.digest, window=32)
    assert own.same_vectors(spec)
    assert own.model_copy(update={"dimension": None}).same_vectors(spec)
    assert not own.model_copy(update={"dimension": 65}).same_vectors(spec)
    assert not own.model_copy(update={"digest": "other"}).same_vectors(spec)
