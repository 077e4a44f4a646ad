"""The workbench, an MCP server and the command at once: many processes on one index."""

import json
import os
import re
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from retrieval import KnowledgeBase
from retrieval.semantic.locking import writer_lock
from tests.processes.running import ROOT, make_knowledge, running

CLI = [sys.executable, "-m", "retrieval.cli"]


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    folder = make_knowledge(tmp_path / "kb")
    with KnowledgeBase.open(folder) as base:
        base.reindex()
    return folder


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*CLI, *words], cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_finished_index_is_seen_by_every_process_at_its_next_lookup(kb: Path) -> None:
    with ExitStack() as stack:
        readers = [stack.enter_context(running("serve", kb)) for _ in range(2)]
        for reader in readers:
            assert reader.tell() == "ready"
            assert reader.ask("guest network")["l1"] == "ok"
        for number in (1, 2):
            (kb / "notes" / f"p{number}.md").write_text(f"# Parrot {number}\n\nIt is blue.\n")
            with KnowledgeBase.open(kb) as base:
                base.reindex()
            for reader in readers:
                answer = reader.ask(f"blue parrot {number}")
                assert answer["sources"][0] == f"p{number}.md"
                assert (answer["l1"], answer["warnings"]) == ("ok", [])
        (kb / "notes" / "p1.md").unlink()
        assert run("index", "--kb", str(kb)).returncode == 0
        for reader in readers:
            assert "p1.md" not in reader.ask("blue parrot 1")["sources"]


def test_readers_never_see_half_of_an_index(kb: Path) -> None:
    notes = kb / "notes"

    def write(version: int) -> None:
        for name in ("left", "right"):
            (notes / f"{name}.md").write_text(f"# Gear {name}\n\nThe gear has version{version}.\n")

    write(0)
    with KnowledgeBase.open(kb) as base:
        base.reindex()
        with running("watch", kb, "gear version") as reader:
            answers = [reader.tell()]
            for version in range(1, 9):
                write(version)
                base.reindex()
                answers += [reader.tell() for _ in range(3)]
            answers += reader.finish()
    seen = []
    for answer in answers:
        assert answer["l1"] == "ok", answer
        assert set(answer["sources"][:2]) == {"left.md", "right.md"}
        versions = {re.findall(r"version(\d+)", text)[0] for text in answer["contents"][:2]}
        assert len(versions) == 1, answer
        seen.append(int(versions.pop()))
    assert seen == sorted(seen)
    assert seen[-1] == 8
    assert len(set(seen)) > 3


def test_the_second_writer_is_told_who_writes_and_since_when(kb: Path) -> None:
    with KnowledgeBase.open(kb) as base, writer_lock(base.location.state_dir):
        (kb / "notes" / "new.md").write_text("# New\n\nText.\n")
        refused = run("index", "--kb", str(kb))
        assert refused.returncode == 1
        assert f"process {os.getpid()} on" in " ".join(refused.stderr.split())
        assert re.search(r"since 20\d\d-\d\d-\d\dT", " ".join(refused.stderr.split()))
        assert base.lookup("guest network").l1.status == "ok"  # reading goes on


def test_of_two_index_runs_at_once_one_does_the_work(kb: Path) -> None:
    for number in range(30):
        (kb / "notes" / f"n{number}.md").write_text(f"# N{number}\n\nText {number}.\n")
    commands = [[*CLI, "index", "--json", "--kb", str(kb)] for _ in range(2)]
    both = [
        subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for command in commands
    ]
    ended = [(*process.communicate(timeout=120), process.returncode) for process in both]
    assert min(code for _, _, code in ended) == 0
    documents = [json.loads(out) for out, _, code in ended if code == 0]
    refusals = [out + err for out, err, code in ended if code != 0]
    assert sum(document["added"] for document in documents) == 30
    assert all("is writing this index" in " ".join(text.split()) for text in refusals)
    with KnowledgeBase.open(kb) as base:
        assert base.reindex().unchanged == 36
        assert base.lookup("guest network").l1.status == "ok"


def test_records_of_many_processes_are_all_stored_while_the_index_is_written(kb: Path) -> None:
    with ExitStack() as stack:
        writers = [
            stack.enter_context(running("record", kb, "60", "guest network", "lost badge"))
            for _ in range(2)
        ]
        base = stack.enter_context(KnowledgeBase.open(kb))
        for number in range(6):
            (kb / "notes" / "changing.md").write_text(f"# Changing\n\nText {number}.\n")
            base.reindex()
        told = [one for writer in writers for one in writer.finish()]
        assert len(told) == 120
        assert all(one["complete"] and not one["lost"] for one in told)
        stored = {row.id for row in base.records().list(limit=None)}
        assert stored == {one["id"] for one in told}
