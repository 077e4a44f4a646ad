"""Other processes on a knowledge base: started, asked, and ended whatever happens."""

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from retrieval import KnowledgeBase
from tests.notes import write_notes

PAUSE = "0.01"
"""Seconds that an index run which is to be killed sleeps with each step: its model is too fast."""
ROOT = Path(__file__).parent.parent.parent


class Running:
    """A process with `tests.processes.worker`."""

    def __init__(self, task: str, kb: Path, *arguments: str) -> None:
        command = [sys.executable, "-m", "tests.processes.worker", task, str(kb), *arguments]
        self._errors = TemporaryFile("w+")  # noqa: SIM115 - `close` closes it
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )

    def tell(self) -> Any:
        """The next value that it prints."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(f"It ended with {self.process.wait()}: {self._said_wrong()}")
        return json.loads(line)

    def ask(self, query: str, **options: Any) -> Any:
        """The summary of a lookup there."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"query": query, **options}) + "\n")
        self.process.stdin.flush()
        return self.tell()

    def finish(self) -> list[Any]:
        """Closes its input, waits, and gives what it printed that nobody read."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        rest = self._rest()
        assert self.process.wait() == 0, self._said_wrong()
        return rest

    def kill(self) -> list[Any]:
        """Ends it at once; gives the whole lines that it had printed."""
        self.process.kill()
        self.process.wait()
        return self._rest()

    def close(self) -> None:
        """Ends it if it runs, and closes the pipes."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self._errors):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()

    def _rest(self) -> list[Any]:
        assert self.process.stdout is not None
        lines = self.process.stdout.read().splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def _said_wrong(self) -> str:
        self._errors.seek(0)
        return self._errors.read()


@contextmanager
def running(task: str, kb: Path, *arguments: str) -> Iterator[Running]:
    """The process; it is ended whatever happens."""
    started = Running(task, kb, *arguments)
    try:
        yield started
    finally:
        started.close()


def make_knowledge(folder: Path, model: str = "hash:64") -> Path:
    """A folder with `knowledge.toml` and six notes, not indexed yet."""
    write_notes(folder / "notes")
    (folder / "knowledge.toml").write_text(f'root = "notes"\n[embedding]\nmodel = "{model}"\n')
    return folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Killed:
    """What was there after one kill of an index run."""

    seconds: float
    """How long it had run, from its first line."""
    finished: bool
    """It was done before it could be killed."""
    resumed: int
    """Texts that the next run took over from it."""


def change_notes(kb: Path, chance: random.Random) -> str:
    """Writes forty notes with ten passages each anew; a word that stands in all of them."""
    word = f"w{chance.randrange(10**9)}"
    notes = kb / "notes" / "killed"
    notes.mkdir(exist_ok=True)
    for number in range(40):
        parts = "\n\n".join(f"## Part {n}\n\nThe {word} of {number} and {n}." for n in range(10))
        (notes / f"n{number}.md").write_text(f"# Note {number}\n\n{parts}\n")
    return word


def kill_index_run(kb: Path, chance: random.Random, *, longest: float) -> Killed:
    """Changes notes, kills the index run at a random moment, and checks what is left.

    Raises `AssertionError` when the index before cannot be read, when the next run does not finish
    the work, or when that leaves anything behind.
    """
    word = change_notes(kb, chance)
    with KnowledgeBase.open(kb) as base:
        before = base.lookup("guest network")
    with running("index", kb, PAUSE) as process:
        process.tell()
        started = time.monotonic()
        time.sleep(chance.uniform(0, longest))
        seconds = time.monotonic() - started
        process.kill()
        finished = process.process.returncode == 0
    with KnowledgeBase.open(kb) as base:
        after = base.lookup("guest network")
        assert after.l1.status == "ok", after.l1
        assert [b.source for b in after.evidence_blocks][:1] == ["network/wifi.md"]
        old, new = before.fingerprint.index, after.fingerprint.index
        report = base.reindex()
        found = base.lookup(word)
        assert found.l1.status == "ok", found.l1
        assert found.evidence_blocks[0].source.startswith("killed/")
        assert report.failed == 0
        # The old index or the new one: nothing between.
        assert new in (old, found.fingerprint.index)
        index = base.location.state_dir / "index"
    left = sorted(path.name for path in index.iterdir())
    assert not [name for name in left if name.startswith((".", "embedded"))], left
    unfinished = [p for p in index.glob("gen-*") if not (p / "manifest.json").is_file()]
    assert unfinished == []
    return Killed(seconds=seconds, finished=finished, resumed=report.resumed)


def kill_recording(kb: Path, chance: random.Random, *, longest: float) -> int:
    """Kills a process that records lookups; the number that it said it had stored.

    Raises `AssertionError` when one of those is missing, or the database cannot be used.
    """
    with running("record", kb, "100000", "guest network", "lost badge") as process:
        said = [process.tell()]
        time.sleep(chance.uniform(0, longest))
        said += process.kill()
    with KnowledgeBase.open(kb) as base:
        store = base.records()
        store.flush_spool()
        stored = {row.id for row in store.list(limit=None)}
        missing = [one["id"] for one in said if one["id"] not in stored]
        assert missing == []
    return len(said)
