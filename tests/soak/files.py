"""A large folder of generated notes, read in a process of its own."""

import resource
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from retrieval.knowledge import load_knowledge
from retrieval.knowledge.walking import Found, walk
from retrieval.settings import KnowledgeSettings
from tests.retrieval.knowledge.generated import write_generated
from tests.retrieval.knowledge.notes import words


def read_files(folder: Path, count: int) -> dict[str, Any]:
    """What a load of `count` notes found, in seconds, and its peak memory in MiB.

    Raises `AssertionError` when a file is neither loaded nor refused with a row.
    """
    write_generated(folder / "kb", count, seed=1)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_read, folder / "kb").result()


def read_folder(folder: Path, count: int) -> dict[str, Any]:
    """What a load of `count` small notes found, in 1,000 folders that links lead back to.

    Raises `AssertionError` when a note is missing, or one is read that a link leads to.
    """
    root = folder / "kb"
    for number in range(count):
        inner = root / f"f{number % 1000}"
        inner.mkdir(parents=True, exist_ok=True)
        (inner / f"n{number}.md").write_text(
            f"---\nkeywords: [k{number}]\n---\n# N{number}\n\nText.\n"
        )
    for number in range(1000):
        (root / f"f{number}" / "up").symlink_to("..")
        (root / f"f{number}" / "self").symlink_to("self")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        found = pool.submit(_read, root).result()
    if (found["files"], found["loaded"], found["refused"]) != (count, count, 0):
        raise AssertionError(str(found))
    return found


def _read(root: Path) -> dict[str, Any]:
    settings = KnowledgeSettings()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    knowledge = load_knowledge(root, settings, window=256, measure=words)
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    loaded = {entry.source for entry in knowledge.entries}
    refused = {issue.source for issue in knowledge.report.errors}
    found = {item.source for item in walk(root, settings) if isinstance(item, Found)}
    if loaded | refused != found or loaded & refused:
        raise AssertionError(f"{len(found)} files, {len(loaded)} loaded, {len(refused)} refused")
    return {
        "files": len(found),
        "loaded": len(loaded),
        "refused": len(refused),
        "seconds": round(seconds, 1),
        "peak_memory_added_mib": round((after - before) / 1024),
    }
