"""The first two stages: is the note a file that is read, and does the index hold it."""

import unicodedata
from collections.abc import Iterable
from pathlib import Path

from retrieval.errors import IndexUnavailable, UnknownSource
from retrieval.filtering import admits
from retrieval.knowledge import NoteRefused, offer_sources, read_entry
from retrieval.knowledge.exclusion import explain_exclusion
from retrieval.knowledge.walking import Found, walk
from retrieval.knowledge_base import KnowledgeBase
from retrieval.lookup import View
from retrieval.settings import KnowledgeSettings
from retrieval.types import Condition, LoadIssue
from retrieval.why.types import Stage


def name_source(source: str, known: Iterable[str]) -> str:
    """The source as this project writes it: forward slashes, no leading `./`, Unicode NFC.

    A source that is `known` as it was given stays as it is.
    """
    name = unicodedata.normalize("NFC", source.strip())
    if name in known:
        return name
    name = name.replace("\\", "/")
    while name.startswith("./"):
        name = name[2:].lstrip("/")
    return name


def find_note(
    kb: KnowledgeBase, view: View, source: str, conditions: tuple[Condition, ...]
) -> tuple[str, tuple[Stage, Stage]]:
    """The note's source, and the stages `file` and `index`.

    Under the caller's conditions, what an unread file says stays unsaid.

    Raises `UnknownSource`, with near names among the notes that the conditions admit.
    """
    settings, root = kb.settings.knowledge, kb.location.root
    files: dict[str, Found] = {}
    issues: dict[str, LoadIssue] = {}
    for found in walk(root, settings):
        if isinstance(found, Found):
            files[found.source] = found
        else:
            issues[found.source] = found
    name = name_source(source, {*files, *view.entries})
    if name in view.entries:
        return name, _indexed(kb, view, files.get(name), name)
    if name in files:
        return name, _unindexed(view, files[name], settings, tell=not conditions)
    if name in issues:
        return name, _lost_file(_issue_text(issues[name], tell=not conditions), code="unreadable")
    reason = explain_exclusion(root, name, settings)
    if reason is not None:
        return name, _lost_file(f"The file exists, but is not read: {reason}.", code="excluded")
    names = [s for s, entry in view.entries.items() if admits(entry, conditions)]
    raise UnknownSource(
        f"There is no note '{source}' in this knowledge base.",
        next_action=offer_sources(name, names),
    )


def _indexed(kb: KnowledgeBase, view: View, file: Found | None, name: str) -> tuple[Stage, Stage]:
    gone = file is None
    text = "The file is gone from the folder since." if gone else "The file is read as a note."
    first = Stage(name="file", state="passed", text=text, facts={"exists": not gone})
    if view.fingerprint.index is None:
        text = "No index can be used, so the notes are read from the folder."
        facts = {"code": view.unavailable.code if view.unavailable else None}
        return first, Stage(name="index", state="skipped", text=text, facts=facts)
    stale = gone or _indexed_stat(kb, name) != (file and (file.size, file.mtime_ns))
    text = "The index holds it as it is."
    if stale:
        text = (
            "The file changed since the index was built: the answer is from the older text. "
            "Run `lookup-knowledge index`."
        )
    return first, Stage(name="index", state="passed", text=text, facts={"stale": stale})


def _indexed_stat(kb: KnowledgeBase, name: str) -> tuple[int, int] | None:
    from retrieval.semantic.generations import current_generation, read_manifest

    try:
        folder = current_generation(kb.location.state_dir)
        row = read_manifest(folder).files.get(name) if folder else None
    except IndexUnavailable:
        return None
    return (row[0], row[1]) if row else None


def _unindexed(
    view: View, file: Found, settings: KnowledgeSettings, *, tell: bool
) -> tuple[Stage, Stage]:
    """A file that is a note by its name, but not among the notes of the lookup."""
    try:
        data = Path(file.path).read_bytes()
        read_entry(file.source, data, settings, window=10**6, measure=len)
    except OSError as error:
        return _lost_file(f"It cannot be read: {error.strerror or error}.", code="unreadable")
    except NoteRefused as refused:
        issue = refused.issue
        return _lost_file(_issue_text(issue, tell=tell), code=issue.code, line=issue.line)
    first = Stage(name="file", state="passed", text="The file is read as a note.")
    text = "The index does not hold it yet. Run `lookup-knowledge index`."
    facts = {"index": view.fingerprint.index}
    return first, Stage(name="index", state="lost", text=text, facts=facts)


def _issue_text(issue: LoadIssue, *, tell: bool) -> str:
    where = f" at line {issue.line}" if issue.line else ""
    if not tell:
        return f"The file cannot be read as a note{where}."
    return f"The file cannot be read as a note{where}: {issue.message} {issue.next_action}".strip()


def _lost_file(text: str, *, code: str, line: int | None = None) -> tuple[Stage, Stage]:
    return (
        Stage(name="file", state="lost", text=text, facts={"code": code, "line": line}),
        Stage(name="index", state="not_reached", text="Not reached."),
    )
