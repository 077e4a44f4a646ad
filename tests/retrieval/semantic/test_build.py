import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from retrieval.errors import IndexLocked
from retrieval.semantic.build import IndexReport, build_index
from retrieval.semantic.embedding import Embedder, open_embedder
from retrieval.semantic.generation import Generation
from retrieval.semantic.generations import current_generation, index_folder
from retrieval.semantic.locking import writer_lock
from retrieval.settings import LookupSettings
from retrieval.text import content_words
from retrieval.types import Condition

Index = Callable[..., IndexReport]
Opened = Callable[..., Generation]


class BrokenEmbedder(Embedder):
    """Fails with the first passage."""

    def embed_passages(self, texts: object, progress: object = None) -> np.ndarray:
        raise ConnectionError("the model is away")


def counts(report: IndexReport) -> tuple[int, int, int, int]:
    return report.added, report.updated, report.deleted, report.unchanged


def ids(generation: Generation) -> set[str]:
    """What the store holds, asked for every passage of the snapshot and then counted."""
    wanted = [p.id for e in generation.knowledge.entries for p in e.passages]
    stored = generation.vectors.vectors(wanted)
    assert len(generation.vectors) == len(wanted)
    return set(stored)


def test_a_first_index_embeds_every_passage(index: Index, opened: Opened) -> None:
    report = index()
    assert counts(report) == (3, 0, 0, 0)
    assert report.passages == report.embedded == 5
    assert report.failed == 0
    assert report.rebuilt_because is None
    generation = opened()
    assert generation.manifest.generation == report.generation
    assert generation.manifest.embedding.dimension == 64
    assert generation.manifest.slots == {
        "category": 2,
        "keywords": 1,
        "status": 1,
        "title": 1,
    }
    assert len(ids(generation)) == 5
    found = generation.vectors.query(
        open_embedder(generation_settings().embedding).embed_query("refund limits approval"), 1
    )
    assert found[0][0] == "billing/refunds.md#1"
    reporting = generation.vectors.query(np.ones(64, dtype=np.float32), 9, "reporting")
    assert [pid for pid, _ in reporting] == ["billing/invoices.md#0"]
    generation.close()


def generation_settings() -> LookupSettings:
    return LookupSettings.model_validate({"embedding": {"model": "hash:64"}})


def test_a_second_index_writes_nothing(index: Index, state_dir: Path) -> None:
    first = index()
    second = index()
    assert counts(second) == (0, 0, 0, 3)
    assert second.embedded == 0
    assert second.generation == first.generation
    assert len(list(index_folder(state_dir).glob("gen-*"))) == 1


def test_an_edit_embeds_only_the_passage_that_changed(
    index: Index, opened: Opened, root: Path
) -> None:
    index()
    path = root / "billing" / "refunds.md"
    path.write_text(path.read_text().replace("finance lead", "treasurer"))
    report = index()
    assert counts(report) == (0, 1, 0, 2)
    assert report.embedded == 1
    assert report.passages == 5
    generation = opened()
    assert "billing/refunds.md#1" in ids(generation)
    assert generation.fulltext.terms_in(["billing/refunds.md#1"], ["treasur"]) == {
        "billing/refunds.md#1": ("treasur",)
    }
    generation.close()


def test_changed_frontmatter_moves_the_rows_and_embeds_nothing(
    index: Index, opened: Opened, root: Path
) -> None:
    index()
    path = root / "network" / "vpn.md"
    path.write_text(path.read_text().replace("category: Network", "category: Access"))
    report = index()
    assert counts(report) == (0, 1, 0, 2)
    assert report.embedded == 0
    generation = opened()
    everywhere = np.ones(64, dtype=np.float32)
    assert generation.vectors.query(everywhere, 9, "network") == []
    assert len(generation.vectors.query(everywhere, 9, "access")) == 2
    generation.close()


def test_deleted_and_renamed_notes_leave_nothing_behind(
    index: Index, opened: Opened, root: Path
) -> None:
    index()
    (root / "billing" / "invoices.md").unlink()
    (root / "network" / "vpn.md").rename(root / "network" / "remote.md")
    report = index()
    assert counts(report) == (1, 0, 2, 1)
    assert report.embedded == 0
    generation = opened()
    assert ids(generation) == {
        "billing/refunds.md#0",
        "billing/refunds.md#1",
        "network/remote.md#0",
        "network/remote.md#1",
    }
    assert set(generation.fulltext.passage_ids) == ids(generation)
    assert "network/vpn.md" not in generation.manifest.files
    generation.close()


def test_an_updated_index_answers_like_a_new_one(
    index: Index, opened: Opened, root: Path, tmp_path: Path
) -> None:
    index()
    path = root / "billing" / "refunds.md"
    path.write_text(path.read_text() + "\n## Chargebacks\n\nThe bank may pull the money back.\n")
    (root / "billing" / "invoices.md").unlink()
    (root / "network" / "dns.md").write_text("# DNS\n\nThe resolver is internal.\n")
    index()
    index(into=tmp_path / "anew")
    updated, anew = opened(), opened(of=tmp_path / "anew")
    assert updated.knowledge == anew.knowledge
    assert updated.manifest.index_digest == anew.manifest.index_digest
    embedder = open_embedder(generation_settings().embedding)
    for query in ("refund by the bank", "internal resolver", "client token"):
        vector, words = embedder.embed_query(query), content_words(query)
        left, right = updated.vectors.query(vector, 9), anew.vectors.query(vector, 9)
        assert dict(left) == pytest.approx(dict(right), abs=1e-6)
        for name in ("score_passages", "score_entries"):
            scores = [getattr(g.fulltext, name)(words) for g in (updated, anew)]
            np.testing.assert_array_equal(*scores)
    updated.close()
    anew.close()


def test_equal_paragraphs_are_embedded_once_and_found_twice(
    index: Index, opened: Opened, root: Path
) -> None:
    text = "# Same\n\nThe very same paragraph.\n"
    for name in ("one.md", "two.md"):
        (root / name).write_text(text)
    report = index()
    assert report.passages == 7
    assert report.embedded == 6
    generation = opened()
    vector = generation.vectors.vectors(["one.md#0"])["one.md#0"]
    assert {pid for pid, cosine in generation.vectors.query(vector, 2) if cosine > 0.999} == {
        "one.md#0",
        "two.md#0",
    }
    generation.close()


def test_a_filter_stays_exact_when_a_field_becomes_storable_again(
    index: Index, opened: Opened, root: Path
) -> None:
    many = ", ".join(f"k{n}" for n in range(30))
    crowded = root / "crowded.md"
    crowded.write_text(f"---\ntitle: Crowded\nkeywords: [{many}]\n---\nText.\n")
    index()
    for expected in ({"billing/refunds.md"}, {"billing/refunds.md", "new.md"}):
        generation = opened()
        assert "keywords" not in generation.manifest.slots
        for values, sources in (
            ("Refund", expected),
            ("k29", {"crowded.md"} & set(generation.manifest.files)),
        ):
            condition = Condition(key="keywords", op="eq", values=(values,))
            found = generation.vectors.query(np.ones(64, dtype=np.float32), 9, None, [condition])
            assert {pid.split("#")[0] for pid, _ in found} == sources
        generation.close()
        crowded.unlink(missing_ok=True)
        (root / "new.md").write_text("---\ntitle: New\nkeywords: [refund]\n---\nMoney.\n")
        index()
    index(full=True)
    generation = opened()
    assert generation.manifest.slots["keywords"] == 1
    generation.close()


def test_a_touched_file_is_not_stale_after_the_next_index(
    index: Index, opened: Opened, root: Path
) -> None:
    first = index()
    path = root / "network" / "vpn.md"
    os.utime(path, ns=(1_700_000_000_000_000_000, 1_700_000_000_000_000_000))
    second = index()
    assert counts(second) == (0, 0, 0, 3)
    assert second.embedded == 0
    assert second.generation != first.generation
    generation = opened()
    assert generation.manifest.files["network/vpn.md"][1] == 1_700_000_000_000_000_000
    generation.close()


def test_a_bad_file_is_counted_and_does_not_keep_the_others_out(
    index: Index, opened: Opened, root: Path
) -> None:
    (root / "bad.md").write_bytes(b"\xff\xfe\xff latin")
    report = index()
    assert report.failed == 1
    assert report.added == 3
    assert [issue.source for issue in report.report.errors] == ["bad.md"]
    again = index()
    assert again.generation == report.generation
    assert [issue.source for issue in again.report.errors] == ["bad.md"]
    generation = opened()
    assert generation.manifest.files["bad.md"][2] == ""
    generation.close()


def test_another_model_builds_anew_and_says_why(index: Index, opened: Opened) -> None:
    index()
    other = LookupSettings.model_validate({"embedding": {"model": "hash:128"}})
    report = index(other)
    assert report.rebuilt_because == (
        "the embedding model was hash:64, and is hash:128; its dimension was 64, and is 128"
    )
    assert report.embedded == 5
    assert counts(report) == (0, 3, 0, 0)
    generation = opened(other)
    assert generation.vectors.query(np.ones(128, dtype=np.float32), 1) != []
    generation.close()


def test_other_knowledge_settings_cut_anew_and_keep_vectors_of_equal_texts(
    index: Index, opened: Opened
) -> None:
    index()
    other = LookupSettings.model_validate(
        {"embedding": {"model": "hash:64"}, "knowledge": {"category": ["status"]}}
    )
    report = index(other)
    assert report.rebuilt_because == "the `[knowledge]` settings have changed"
    assert report.embedded == 0
    generation = opened(other)
    assert len(generation.vectors.query(np.ones(64, dtype=np.float32), 9, "live")) == 4
    generation.close()


def test_a_full_build_embeds_everything_again(index: Index) -> None:
    index()
    report = index(full=True)
    assert report.embedded == 5
    assert counts(report) == (0, 3, 0, 0)
    assert report.rebuilt_because == "a full build was asked for"


def test_words_that_cannot_be_read_are_met_by_the_next_run(index: Index, opened: Opened) -> None:
    index()
    generation = opened()
    path = generation.folder / "fulltext" / "words.npz"
    generation.close()
    path.write_bytes(bytes(path.stat().st_size))
    report = index()
    assert "full text" in (report.rebuilt_because or "")
    opened().close()
    assert index().rebuilt_because is None


def test_a_failing_model_leaves_the_old_index_and_no_rubbish(
    index: Index, opened: Opened, root: Path, state_dir: Path, settings: LookupSettings
) -> None:
    report = index()
    (root / "new.md").write_text("# New\n\nNot embedded yet.\n")
    plain = open_embedder(settings.embedding)
    broken = BrokenEmbedder(plain.spec, measure=plain.measure, load=lambda: plain.model)
    with pytest.raises(ConnectionError):
        build_index(state_dir=state_dir, root=root, settings=settings, embedder=broken)
    current = current_generation(state_dir)
    assert current is not None
    assert current.name == report.generation
    assert [p.name for p in index_folder(state_dir).glob("gen-*")] == [report.generation]
    opened().close()
    assert index().added == 1


CRASH = """
import os, sys
from pathlib import Path
from retrieval.semantic.build import build_index
from retrieval.semantic.embedding import Embedder, open_embedder
from retrieval.settings import LookupSettings

class Crash(Embedder):
    def embed_passages(self, texts, progress=None):
        os._exit(9)

settings = LookupSettings.model_validate({"embedding": {"model": "hash:64"}})
plain = open_embedder(settings.embedding)
build_index(
    state_dir=Path(sys.argv[1]),
    root=Path(sys.argv[2]),
    settings=settings,
    embedder=Crash(plain.spec, measure=plain.measure, load=lambda: plain.model),
)
"""


def test_a_crash_leaves_the_old_index_and_the_next_run_clears_up(
    index: Index, opened: Opened, root: Path, state_dir: Path
) -> None:
    first = index()
    (root / "new.md").write_text("# New\n\nNot embedded yet.\n")
    command = [sys.executable, "-c", CRASH, str(state_dir), str(root)]
    assert subprocess.run(command, check=False).returncode == 9
    assert len(list(index_folder(state_dir).glob("gen-*"))) == 2
    generation = opened()
    assert generation.manifest.generation == first.generation
    generation.close()

    report = index()
    assert counts(report) == (1, 0, 0, 3)
    left = sorted(path.name for path in index_folder(state_dir).glob("gen-*"))
    assert left == [first.generation, report.generation]


def test_warnings_of_unchanged_notes_are_told_again(index: Index, root: Path) -> None:
    (root / "odd.md").write_text("---\ntitle: Odd\nkeywords: #a #b\n---\nText.\n")
    first = index()
    assert [issue.source for issue in first.report.warnings] == ["odd.md"]
    (root / "other.md").write_text("# Other\n\nText.\n")
    assert index().report.issues == first.report.issues


def test_an_empty_folder_gives_an_index_that_finds_nothing(
    index: Index, opened: Opened, root: Path
) -> None:
    index()
    shutil.rmtree(root / "billing")
    shutil.rmtree(root / "network")
    report = index()
    assert counts(report) == (0, 0, 3, 0)
    assert report.passages == 0
    generation = opened()
    assert generation.vectors.query(np.ones(64, dtype=np.float32), 5) == []
    assert generation.fulltext.score_passages(["refund"]).shape == (0,)
    generation.close()
    assert index().generation == report.generation
    (root / "back.md").write_text("# Back\n\nSomething again.\n")
    assert index().added == 1


def test_only_one_writer_at_a_time(index: Index, state_dir: Path) -> None:
    with writer_lock(state_dir), pytest.raises(IndexLocked):
        index()


def test_progress_names_the_stage(root: Path, state_dir: Path, settings: LookupSettings) -> None:
    told: list[tuple[str, int, int]] = []
    build_index(
        state_dir=state_dir,
        root=root,
        settings=settings,
        embedder=open_embedder(settings.embedding),
        progress=lambda *step: told.append(step),
    )
    assert told[-1] == ("embed", 5, 5)
    assert {stage for stage, _, _ in told} <= {"load", "embed"}
