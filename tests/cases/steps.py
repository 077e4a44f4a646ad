"""The action `steps`: one thing after another on a knowledge base that changes."""

import asyncio
import json
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from retrieval import alookup_knowledge
from retrieval.errors import InvalidInput
from retrieval.hints import L0Index
from retrieval.knowledge import read_snapshot
from tests.cases.case import (
    Case,
    Expected,
    UnknownCheck,
    equals,
    excludes,
    includes,
    lacks,
    noted,
    problems,
    same_set,
)
from tests.cases.faults import corrupt, generation_folder, remove_index, stored_ids
from tests.cases.loading import load
from tests.cases.lookups import ask, judge_answer, open_base
from tests.cases.matching import MATCH

_ROOT = Path(__file__).parents[2]
_WORKER = """
import json, sys
from retrieval import KnowledgeBase, lookup_knowledge
root, settings, steps = json.loads(sys.argv[1])
base = KnowledgeBase.open(root, settings)
for step in steps:
    for _ in range(step.get("times", 1)):
        result = lookup_knowledge(step["query"], kb=base)
        assert result.primary is not None, result
"""
_COUNTED = ("added", "updated", "deleted", "unchanged", "failed")

Step = Mapping[str, Any]


class Session:
    """A knowledge base through the steps of a case, and what did not hold on the way."""

    def __init__(self, case: Case, root: Path, state: Path) -> None:
        self.problems: list[str] = []
        self.errors = 0
        self.ever_indexed: set[str] = set()
        self.answers: list[str] = []
        self._root, self._state = root, state
        self._config = {"embedder": "hash:64", **case.data.get("config", {})}
        self._held = ExitStack()
        self._base, self._embedder = open_base(root, state, self._config)

    def run(self, step: Step) -> None:
        """One step; raises `UnknownCheck` for an operation that is not known."""
        operation = getattr(self, f"op_{step['op']}", None)
        if operation is None:
            raise UnknownCheck(f"op {step['op']}")
        operation(step)

    def finish(self, expected: Expected) -> list[str]:
        """All problems, those of the end included."""
        self.problems += problems(_FINAL, self, expected.get("final", {}), "final ")
        self._held.close()
        self._base.close()
        return self.problems

    def indexed(self) -> list[str]:
        """The sources of the index on disk."""
        folder = generation_folder(self._state)
        return [entry.source for entry in read_snapshot(folder / "snapshot.json").entries]

    def stored(self) -> list[str]:
        """The passage ids that Chroma holds."""
        return stored_ids(self._state)

    def recorded(self) -> int:
        """The number of records in the database."""
        return self._base.records().count()

    def opens(self) -> bool:
        """True when the knowledge base answers, in a new client too."""
        self.op_reopen({})
        return self._base.lookup("refund").primary is not None

    def _check(self, found: Any, table: Mapping[str, Any], step: Step) -> None:
        self.problems += problems(table, found, step.get("expect", {}), f"{step['op']} ")

    def op_write(self, step: Step) -> None:
        path = self._root / step["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(step["text"], encoding="utf-8")

    def op_delete(self, step: Step) -> None:
        (self._root / step["path"]).unlink()

    def op_rename(self, step: Step) -> None:
        (self._root / step["from"]).rename(self._root / step["to"])

    def op_reindex(self, step: Step) -> None:
        report = self._base.reindex(full=step.get("full", False))
        self.ever_indexed.update(self.indexed())
        self._check(report, _REPORT, step)

    def op_reopen(self, step: Step) -> None:
        self._base.close()
        self._base, self._embedder = open_base(self._root, self._state, self._config)
        self._check(None, {"does_not_raise": noted}, step or {"op": "reopen"})

    def op_close(self, _: Step) -> None:
        self._base.close()

    def op_set_config(self, step: Step) -> None:
        self._config |= {key: value for key, value in step.items() if key != "op"}
        self.op_reopen({})

    def op_reset_index(self, _: Step) -> None:
        self._base.close()
        remove_index(self._state)

    def op_rmtree_index(self, _: Step) -> None:
        remove_index(self._state)

    def op_corrupt(self, step: Step) -> None:
        corrupt(self._state, step["glob"], step["how"])

    def op_match(self, step: Step) -> None:
        hints = L0Index(load(self._root).entries).match(step["query"])
        self._check((step["query"], hints), MATCH, step)

    def op_lookup(self, step: Step) -> None:
        for _ in range(step.get("times", 1)):
            answer = ask(self._base, self._embedder, step)
            self.answers.append(json.dumps(answer.result.to_dict(), ensure_ascii=False))
            self.problems += judge_answer(answer, step.get("expect", {}), f"{step['query']!r} ")

    def op_get_entry(self, step: Step) -> None:
        try:
            found: object = self._base.get(step["source"])
        except InvalidInput as error:
            found = error
        table = {"rejected": lambda f, wanted: isinstance(f, InvalidInput) == wanted or f}
        self._check(found, table, step)

    def op_count_chunks(self, step: Step) -> None:
        table = {"min": lambda f, least: f >= least or f, "equals": equals(lambda f: f)}
        self._check(len(self.stored()), table, step)

    def op_parallel(self, step: Step) -> None:
        settings = {"state_dir": str(self._state), "embedding": {"model": "hash:64"}}
        given = json.dumps([str(self._root), settings, step["do"]])
        command = [sys.executable, "-c", _WORKER, given]
        running = [
            subprocess.Popen(command, cwd=_ROOT, stderr=subprocess.PIPE, text=True)
            for _ in range(step["processes"])
        ]
        said = [process.communicate()[1] for process in running]
        self._count([text for p, text in zip(running, said, strict=True) if p.returncode], step)

    def op_threads(self, step: Step) -> None:
        def work(_: int) -> None:
            for inner in step["do"]:
                self.run(inner)

        with ThreadPoolExecutor(step["n"]) as pool:
            futures = [pool.submit(work, number) for number in range(step["n"])]
        self._count([f.exception() for f in futures if f.exception()], step)

    def op_inside_event_loop(self, step: Step) -> None:
        async def main() -> None:
            for inner in step["do"]:
                self.run(inner)

        asyncio.run(main())

    def op_gather(self, step: Step) -> None:
        async def main() -> list[Any]:
            asked = [d["query"] for d in step["do"] for _ in range(step["n"])]
            calls = [alookup_knowledge(query, kb=self._base) for query in asked]
            return await asyncio.gather(*calls, return_exceptions=True)

        found = asyncio.run(main())
        self._count([r for r in found if isinstance(r, BaseException) or not r.primary], step)

    def _count(self, failed: list[Any], step: Step) -> None:
        self.errors += len(failed)
        found = {"errors": len(failed), "said": failed}
        table = {"errors": lambda f, n: f["errors"] == n or f}
        self._check(found, table, step)

    def op_hold_write_lock(self, _: Step) -> None:
        path = self._state / "records.sqlite3"
        database = self._held.enter_context(closing(sqlite3.connect(path, isolation_level=None)))
        database.execute("BEGIN IMMEDIATE")


_REPORT = {
    **{name: equals(lambda report, name=name: getattr(report, name)) for name in _COUNTED},
    "updated_or_added": equals(lambda report: report.updated + report.added),
    "does_not_raise": noted,
}
_FINAL = {
    "does_not_raise": noted,
    "errors": equals(lambda s: s.errors),
    "lookups_failed": equals(lambda s: s.errors),
    "recorded_invocations": equals(Session.recorded),
    "index_opens": lambda s, _: s.opens(),
    "indexed_sources": same_set(Session.indexed),
    # One of the cases deletes what it lists here: indexed at some step.
    "indexed_sources_include": includes(lambda s: s.ever_indexed),
    "indexed_sources_must_not_include": excludes(lambda s: s.ever_indexed),
    "stored_chunk_sources": same_set(lambda s: [pid.split("#")[0] for pid in s.stored()]),
    "chunk_ids_unique": lambda s, _: len(set(s.stored())) == len(s.stored()),
    "no_result_contains": lacks(lambda s: "\n".join(s.answers)),
    "no_network_calls": noted,  # conftest.py refuses each one
}
