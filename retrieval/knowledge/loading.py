"""All notes below a root, and a report of what was met on the way."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from retrieval.errors import KnowledgeError
from retrieval.knowledge.entries import read_entry
from retrieval.knowledge.refusal import NoteRefused, refuse
from retrieval.knowledge.walking import Found, walk
from retrieval.settings import KnowledgeSettings
from retrieval.types import Entry, LoadIssue, LoadReport

MAX_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Knowledge:
    """The notes of one root, sorted by source, and the report of their load."""

    root: Path
    entries: tuple[Entry, ...]
    report: LoadReport


def load_knowledge(
    root: Path,
    settings: KnowledgeSettings,
    *,
    window: int,
    measure: Callable[[str], int],
    reuse: Mapping[str, Entry] | None = None,
    reuse_issues: Iterable[LoadIssue] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Knowledge:
    """Every note below `root`; a file that cannot be read is an error row in the report.

    An empty root gives no entries. `reuse` holds entries of an earlier load with the same settings,
    window and measure: those whose bytes are still the same are taken over, with the warnings that
    `reuse_issues` (all issues of that load) has about them. `progress` gets files done and files
    in all.

    Raises `KnowledgeError` when the root is no folder.
    """
    if not root.is_dir():
        raise KnowledgeError(
            f"The knowledge root {root} is no folder.",
            next_action="Name the folder that holds the notes.",
        )
    earlier: dict[str, list[LoadIssue]] = {}
    for issue in reuse_issues:
        earlier.setdefault(issue.source, []).append(issue)
    found, issues = _files(root, settings)
    entries: list[Entry] = []
    for done, file in enumerate(found, start=1):
        try:
            data = _read(file)
            known = reuse.get(file.source) if reuse else None
            if known and known.content_hash == hashlib.sha256(data).hexdigest():
                entry, about = known, tuple(earlier.get(file.source, ()))
            else:
                entry, about = read_entry(
                    file.source, data, settings, window=window, measure=measure
                )
            entries.append(entry)
            issues += about
        except NoteRefused as refused:
            issues.append(refused.issue)
        if progress:
            progress(done, len(found))
    issues.sort(key=lambda issue: (issue.source, issue.line or 0))
    return Knowledge(
        root=root,
        entries=tuple(entries),
        report=LoadReport(loaded=len(entries), issues=tuple(issues)),
    )


def _files(root: Path, settings: KnowledgeSettings) -> tuple[list[Found], list[LoadIssue]]:
    """The files to read, sorted by source, and the rows of those that cannot be."""
    by_source: dict[str, Found] = {}
    issues: list[LoadIssue] = []
    for found in walk(root, settings):
        if isinstance(found, LoadIssue):
            issues.append(found)
        elif found.source in by_source:
            issues.append(
                refuse(
                    found.source,
                    "same_name",
                    "Two files have this name in different Unicode forms; one was left out.",
                    "Rename one of them.",
                ).issue
            )
        else:
            by_source[found.source] = found
    return sorted(by_source.values(), key=lambda found: found.source), issues


def _read(file: Found) -> bytes:
    if file.size > MAX_BYTES:
        raise refuse(
            file.source,
            "too_large",
            f"The file has {file.size} bytes, more than {MAX_BYTES}.",
            "Split it into several notes.",
        )
    try:
        return Path(file.path).read_bytes()
    except OSError as error:
        raise refuse(
            file.source,
            "unreadable",
            f"It cannot be read: {error.strerror or error}.",
            "Correct its permission.",
        ) from error
