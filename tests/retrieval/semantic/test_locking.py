import os
import subprocess
import sys
from pathlib import Path

import pytest

from retrieval.errors import IndexLocked, IndexUnavailable
from retrieval.semantic.locking import writer_lock

HOLD = """
import sys
from pathlib import Path
from retrieval.semantic.locking import writer_lock
with writer_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_process_is_told_who_writes(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        named = rf"process {other.pid} on .+, since 20"
        with pytest.raises(IndexLocked, match=named), writer_lock(tmp_path):
            pytest.fail("two writers")
        other.communicate()
    with writer_lock(tmp_path):
        pass


def test_a_killed_writer_does_not_keep_the_lock(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        other.kill()
    with writer_lock(tmp_path, wait_seconds=5):
        mark = (tmp_path / "index" / "writer.json").read_text()
        assert f'"pid": {os.getpid()}' in mark
    assert not (tmp_path / "index" / "writer.json").exists()


def test_the_lock_is_not_given_twice_in_one_process(tmp_path: Path) -> None:
    with writer_lock(tmp_path), pytest.raises(IndexLocked), writer_lock(tmp_path):
        pytest.fail("two writers")


def test_a_state_folder_that_cannot_be_made_says_what_to_set(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    refused = pytest.raises(IndexUnavailable, match="cannot be written")
    with refused as raised, writer_lock(tmp_path / "file"):
        pytest.fail("written")
    assert "state_dir" in raised.value.next_action
