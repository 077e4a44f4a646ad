"""A process that is killed at any moment leaves a usable index and a readable database."""

import random
from pathlib import Path

import pytest

from retrieval import KnowledgeBase
from tests.processes.running import kill_index_run, kill_recording, make_knowledge, running


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    folder = make_knowledge(tmp_path / "kb")
    with KnowledgeBase.open(folder) as base:
        base.reindex()
    return folder


def test_an_index_run_that_is_killed_leaves_the_old_index_and_the_next_one_ends_it(
    kb: Path,
) -> None:
    chance = random.Random(20)
    for _ in range(3):
        kill_index_run(kb, chance, longest=1.5)


def test_records_that_were_said_to_be_stored_survive_a_kill(kb: Path) -> None:
    chance = random.Random(21)
    for _ in range(2):
        assert kill_recording(kb, chance, longest=0.5) > 0


def test_an_embedding_that_was_killed_goes_on_where_it_was(kb: Path) -> None:
    body = "\n\n".join(f"## Part {n}\n\nSentence {n} of many." for n in range(600))
    (kb / "notes" / "long.md").write_text(f"# Long\n\n{body}\n")
    with running("index", kb, "0.02") as process:
        while process.tell()[:2] != ["embed", 512]:
            pass
        process.kill()
    with KnowledgeBase.open(kb) as base:
        report = base.reindex()
        assert report.added == 1
        assert report.resumed >= 256
        assert report.embedded + report.resumed == report.passages - 7
        assert base.lookup("sentence 599").evidence_blocks[0].source == "long.md"
        assert not list((base.location.state_dir / "index").glob("embedded-*"))
