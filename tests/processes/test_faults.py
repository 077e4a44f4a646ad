"""Damage, deletion and missing space while a process has the index open."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from retrieval import KnowledgeBase
from retrieval.errors import IndexUnwritable
from retrieval.semantic.generations import current_generation, index_folder
from tests.mounting import mounted
from tests.processes.running import ROOT, Running, make_knowledge, running

QUERIES = ("guest network", "lost badge at the reception", "refund in thirty days")


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    folder = make_knowledge(tmp_path / "kb")
    with KnowledgeBase.open(folder) as base:
        base.reindex()
    return folder


@pytest.fixture
def reader(kb: Path) -> Iterator[Running]:
    with running("serve", kb) as process:
        process.tell()
        yield process


def state(kb: Path) -> Path:
    return kb / ".lookup-knowledge"


def reindex(kb: Path) -> None:
    with KnowledgeBase.open(kb) as base:
        base.reindex()


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def overwrite(path: Path) -> None:
    path.write_bytes(b"\xff" * path.stat().st_size)


def check_answers(reader: Running) -> set[str]:
    """The states of L1 over several lookups, each of which found the right note."""
    seen = set()
    for query, options in (
        (QUERIES[0], {}),
        (QUERIES[0], {"filters": {"category": "network"}}),
        (QUERIES[0], {"mode": "l0"}),
    ):
        answer = reader.ask(query, **options)
        assert answer["outcome"] in ("evidence", "fallback"), answer
        assert answer["sources"][0] == "network/wifi.md", answer
        seen.add(answer["l1"])
    return seen


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Running]]:
    """A knowledge base and a process that has it open, for all damages one after the other."""
    folder = make_knowledge(tmp_path_factory.mktemp("watched") / "kb")
    reindex(folder)
    with running("serve", folder) as process:
        process.tell()
        yield folder, process


@pytest.mark.parametrize("damage", [cut, overwrite, Path.unlink])
def test_a_process_goes_on_whatever_happens_to_a_file_of_its_index(
    watched: tuple[Path, Running], damage: Callable[[Path], None]
) -> None:
    """L1 may go on from memory or fail; L0 always answers, and the next index mends it."""
    kb, reader = watched
    folder = current_generation(state(kb))
    assert folder is not None
    names = sorted(p.relative_to(folder) for p in folder.rglob("*") if p.is_file())
    assert len(names) >= 8
    for number, name in enumerate(names):
        assert check_answers(reader) == {"ok", "disabled"}
        folder = current_generation(state(kb))
        assert folder is not None
        # The vectors' folder has a name of its own in each generation.
        paths = sorted(p.relative_to(folder) for p in folder.rglob("*") if p.is_file())
        damage(folder / paths[min(number, len(paths) - 1)])
        assert check_answers(reader) <= {"ok", "failed", "not_ready", "disabled"}, name
        (kb / "notes" / "again.md").write_text(f"# Again\n\n{damage} {number}.\n")
        reindex(kb)
    assert check_answers(reader) == {"ok", "disabled"}


def test_an_index_that_is_deleted_under_a_process_is_reported_and_comes_back(
    kb: Path, reader: Running
) -> None:
    assert check_answers(reader) == {"ok", "disabled"}
    shutil.rmtree(index_folder(state(kb)))
    answer = reader.ask(QUERIES[0])
    assert (answer["outcome"], answer["l1"], answer["error"]) == (
        "fallback",
        "not_ready",
        "index_missing",
    )
    reindex(kb)
    assert check_answers(reader) == {"ok", "disabled"}
    folder = current_generation(state(kb))
    assert folder is not None
    shutil.rmtree(folder)
    assert reader.ask(QUERIES[0])["error"] == "index_damaged"
    reindex(kb)
    assert check_answers(reader) == {"ok", "disabled"}


INDEX_WITH_LIMITS = """
import resource, sys
from pathlib import Path
from retrieval import KnowledgeBase
from retrieval.errors import IndexUnwritable
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
with KnowledgeBase.open(Path(sys.argv[1])) as kb:
    kb.lookup("guest network")
    for limit in sys.argv[2:]:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), hard))
        try:
            kb.reindex()
        except IndexUnwritable as error:
            refused = error.message
        else:
            refused = "done"
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        print(refused, kb.lookup("guest network").l1.status, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of a file's size")
def test_a_disk_that_is_full_leaves_the_old_index(kb: Path) -> None:
    """A limit of the file size fails as a full disk does, at another place with each size."""
    before = current_generation(state(kb))
    text = "\n\n".join(f"## Part {n}\n\nSentence {n} of many." for n in range(300))
    (kb / "notes" / "long.md").write_text(f"# Long\n\n{text}\n")
    command = [sys.executable, "-c", INDEX_WITH_LIMITS, str(kb), "0", "20000", "200000"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 3
    for line in lines:
        assert "cannot be written" in line
        assert line.endswith(" ok")
    assert current_generation(state(kb)) == before
    assert list(index_folder(state(kb)).glob("gen-*")) == [before]
    with KnowledgeBase.open(kb) as base:
        assert base.reindex().added == 1
        assert base.lookup("sentence 299").evidence_blocks[0].source == "long.md"


@pytest.fixture
def read_only(kb: Path) -> Iterator[Path]:
    """The knowledge base with a state folder that takes no writes.

    Rights do not hold for root, who gets a disk that is mounted to be read instead.
    """
    folder = state(kb)
    if os.name != "nt" and os.geteuid() == 0:
        with mounted("--bind", "-o", "ro", str(folder), target=folder):
            yield kb
        return
    paths = [folder, *folder.rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        yield kb
    finally:
        for path in paths:
            path.chmod(0o755 if path.is_dir() else 0o644)


def test_a_state_folder_that_is_read_only_answers_and_refuses_to_index(read_only: Path) -> None:
    with KnowledgeBase.open(read_only) as base:
        result = base.lookup(QUERIES[0])
        assert (result.outcome, result.l1.status) == ("evidence", "ok"), result.l1.error
        (read_only / "notes" / "new.md").write_text("# New\n\nText.\n")
        with pytest.raises(IndexUnwritable, match="cannot be written") as raised:
            base.reindex()
        assert "state_dir" in raised.value.next_action


def test_a_lock_file_of_a_dead_process_is_no_lock(kb: Path) -> None:
    index = index_folder(state(kb))
    (index / "writer.lock").write_text("")
    (index / "writer.json").write_text('{"pid": 999999, "host": "gone", "since": "2020"}')
    (kb / "notes" / "new.md").write_text("# New\n\nText.\n")
    with KnowledgeBase.open(kb) as base:
        assert base.reindex().added == 1
    with suppress(FileNotFoundError):
        assert "gone" not in (index / "writer.json").read_text()
