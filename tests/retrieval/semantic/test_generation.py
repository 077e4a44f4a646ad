import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from retrieval.errors import IndexDamaged, IndexMismatch, IndexMissing
from retrieval.semantic.build import IndexReport
from retrieval.semantic.generation import Generation
from retrieval.semantic.generations import current_generation
from retrieval.settings import LookupSettings

Index = Callable[..., IndexReport]
Opened = Callable[..., Generation]

REINDEX = """
import sys
from pathlib import Path
from retrieval.semantic.build import build_index
from retrieval.semantic.embedding import open_embedder
from retrieval.settings import LookupSettings
settings = LookupSettings.model_validate({"embedding": {"model": "hash:64"}})
report = build_index(
    state_dir=Path(sys.argv[1]),
    root=Path(sys.argv[2]),
    settings=settings,
    embedder=open_embedder(settings.embedding),
)
print(report.generation)
"""


def test_nothing_to_open_before_the_first_index(opened: Opened) -> None:
    with pytest.raises(IndexMissing) as raised:
        opened()
    assert "lookup-knowledge index" in raised.value.next_action


def test_parts_are_loaded_once(index: Index, opened: Opened) -> None:
    index()
    generation = opened()
    assert generation.vectors is generation.vectors
    assert generation.fulltext is generation.fulltext
    assert generation.knowledge is generation.knowledge
    assert generation.manifest.passages == len(generation.fulltext.passage_ids)
    generation.close()
    generation.close()


@pytest.mark.parametrize(
    ("change", "clause"),
    [
        ({"embedding": {"model": "hash:128"}}, "the embedding model was hash:64, and is hash:128"),
        ({"embedding": {"model": "hash:64", "window": 64}}, "`embedding.window` was 256"),
        (
            {"embedding": {"model": "hash:64"}, "knowledge": {"category": ["team"]}},
            r"the `\[knowledge\]` settings have changed",
        ),
    ],
)
def test_a_mismatch_says_what_differs(
    index: Index, opened: Opened, change: dict[str, object], clause: str
) -> None:
    index()
    with pytest.raises(IndexMismatch, match=clause) as raised:
        opened(LookupSettings.model_validate(change))
    assert "lookup-knowledge index" in raised.value.next_action


def test_settings_that_only_answers_depend_on_do_not_matter(index: Index, opened: Opened) -> None:
    index()
    change = {"embedding": {"model": "hash:64", "threads": 1}, "lookup": {"top_k": 3}}
    opened(LookupSettings.model_validate(change)).close()


@pytest.mark.parametrize(
    "name",
    ["vectors/chroma.sqlite3", "fulltext/names.json", "snapshot.json", "manifest.json"],
)
def test_cut_files_are_found_on_open_and_repaired_by_the_next_index(
    index: Index, opened: Opened, state_dir: Path, name: str
) -> None:
    index()
    folder = current_generation(state_dir)
    assert folder is not None
    path = folder / name
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(IndexDamaged):
        opened()
    report = index()
    assert report.rebuilt_because is not None
    assert "manifest.json" in report.rebuilt_because or name in report.rebuilt_because
    assert report.embedded == report.passages
    opened().close()


def test_altered_files_of_the_same_size_are_found_when_they_are_read(
    index: Index, opened: Opened, state_dir: Path
) -> None:
    index()
    folder = current_generation(state_dir)
    assert folder is not None
    for name in ("vectors/chroma.sqlite3", "fulltext/names.json", "snapshot.json"):
        path = folder / name
        path.write_bytes(b"\x00" * path.stat().st_size)
    generation = opened()
    with pytest.raises(IndexDamaged):
        _ = generation.vectors
    with pytest.raises(IndexDamaged):
        _ = generation.fulltext
    with pytest.raises(IndexDamaged):
        _ = generation.knowledge
    assert index().rebuilt_because is not None
    opened().close()


def test_another_process_publishes_while_a_reader_has_the_old_one_open(
    index: Index, opened: Opened, root: Path, state_dir: Path
) -> None:
    index()
    old = opened()
    before = old.vectors.query(old.vectors.vectors(["network/vpn.md#0"])["network/vpn.md#0"], 9)
    (root / "network" / "dns.md").write_text("# DNS\n\nThe resolver is internal.\n")

    done = subprocess.run(
        [sys.executable, "-c", REINDEX, str(state_dir), str(root)],
        capture_output=True,
        text=True,
        check=True,
    )
    folder = current_generation(state_dir)
    assert folder is not None
    assert folder.name == done.stdout.strip()
    assert folder != old.folder

    vector = old.vectors.vectors(["network/vpn.md#0"])["network/vpn.md#0"]
    assert old.vectors.query(vector, 9) == before
    old.close()
    new = opened()
    assert "network/dns.md#0" in new.vectors.vectors(["network/dns.md#0"])
    assert len(new.vectors.query(vector, 9)) == len(before) + 1
    new.close()
