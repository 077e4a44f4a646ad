"""The files below a knowledge root that are notes, and those that cannot be."""

import os
import re
import stat
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from retrieval.errors import SettingsError
from retrieval.knowledge.refusal import refuse, warn
from retrieval.settings import KnowledgeSettings
from retrieval.types import LoadIssue

# Hidden files and folders are skipped as well, and any folder that is a virtual environment.
SKIPPED_FOLDERS = frozenset(
    {"node_modules", "bower_components", "__pycache__", "venv", "site-packages", "__macosx"}
)
ENVIRONMENT_FILE = "pyvenv.cfg"
_GLOB_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|\[!?\]?[^\]]*\]|.", re.DOTALL)
_GLOB_MEANING = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A file that is a note by its name."""

    source: str
    """Path below the root, forward slashes, Unicode NFC: the note's identity."""
    path: str
    """Where it is opened."""
    size: int
    mtime_ns: int


def scan(root: Path, settings: KnowledgeSettings) -> dict[str, tuple[int, int]]:
    """Size in bytes and modification time in nanoseconds of every note, by source.

    Opens no file. A file that cannot be reached is not in it.
    """
    return {
        found.source: (found.size, found.mtime_ns)
        for found in walk(root, settings)
        if isinstance(found, Found)
    }


def walk(root: Path, settings: KnowledgeSettings) -> Iterator[Found | LoadIssue]:
    """Every note below the root in no certain order, and a row for each that cannot be one.

    Links to files are followed when they stay below the root. Links to folders are not: their
    notes are found under their own path.

    Raises `SettingsError` for a glob that cannot be used.
    """
    include, exclude = glob_matcher(settings.include), glob_matcher(settings.exclude, below=True)
    real_root = os.path.realpath(root)
    folders = [""]
    while folders:
        prefix = folders.pop()
        try:
            with os.scandir(os.path.join(real_root, prefix)) as entries:
                listed = list(entries)
        except OSError as error:
            yield _unreadable(_source(prefix.rstrip("/") or "."), error)
            continue
        if prefix and any(entry.name == ENVIRONMENT_FILE for entry in listed):
            continue
        for entry in listed:
            source = _source(prefix + entry.name)
            if entry.name.startswith(".") or exclude(source):
                continue
            named = bool(include(source) or include(lower_suffix(source)))
            if entry.is_dir(follow_symlinks=False):
                if entry.name.lower() in SKIPPED_FOLDERS:
                    continue
                folders.append(f"{prefix}{entry.name}/")
                if named:
                    yield refuse(
                        source, "not_a_file", "It is a folder.", "Rename the folder."
                    ).issue
            elif named or entry.is_symlink():
                yield from _look_at(entry, source, real_root, named=named)


def _look_at(
    entry: "os.DirEntry[str]", source: str, real_root: str, *, named: bool
) -> Iterator[Found | LoadIssue]:
    try:
        status = entry.stat()
    except OSError as error:
        if named:
            yield _unreadable(source, error)
        return
    if entry.is_symlink() and (named or stat.S_ISDIR(status.st_mode)):
        real = os.path.realpath(entry.path)
        if os.path.commonpath((real, real_root)) != real_root:
            yield refuse(
                source,
                "outside_root",
                "The link leaves the knowledge root and is not followed.",
                "Copy what it points to below the root, or exclude it in knowledge.toml.",
            ).issue
            return
        if stat.S_ISDIR(status.st_mode):
            yield warn(
                source,
                "linked_folder",
                "The link to a folder is not followed: its notes have their own path.",
                "Exclude it in knowledge.toml.",
            )
            return
    if not named:
        return
    if not stat.S_ISREG(status.st_mode):
        yield refuse(source, "not_a_file", "It is no regular file.", "Remove it.").issue
    elif _is_unicode(entry.name):
        yield Found(
            source=source, path=entry.path, size=status.st_size, mtime_ns=status.st_mtime_ns
        )
    else:
        yield refuse(source, "file_name", "The file's name is not UTF-8.", "Rename the file.").issue


def _unreadable(source: str, error: OSError) -> LoadIssue:
    return refuse(
        source,
        "unreadable",
        f"It cannot be read: {error.strerror or error}.",
        "Correct the link or the permission, or remove it.",
    ).issue


def _source(path: str) -> str:
    """The path as an identity; bytes that are no UTF-8 show as escapes."""
    path = path if _is_unicode(path) else os.fsencode(path).decode("utf-8", "backslashreplace")
    return unicodedata.normalize("NFC", path.replace(os.sep, "/"))


def _is_unicode(name: str) -> bool:
    return name.isascii() or not any("\ud800" <= char <= "\udfff" for char in name)


def lower_suffix(source: str) -> str:
    stem, dot, suffix = source.rpartition(".")
    return stem + dot + suffix.lower()


def glob_matcher(globs: tuple[str, ...], *, below: bool = False) -> Callable[[str], object]:
    """Tells whether a path matches a glob; with `below`, also whether a folder above it does."""
    if not globs:
        return lambda _: False
    tail = "(?:/.*)?" if below else ""
    try:
        return re.compile("|".join(_regex(glob) + tail for glob in globs), re.DOTALL).fullmatch
    except re.error as error:
        raise SettingsError(
            f"One of the globs {', '.join(globs)} cannot be used: {error}.",
            next_action="Correct include or exclude in knowledge.toml.",
        ) from None


def _regex(glob: str) -> str:
    glob = unicodedata.normalize("NFC", glob).removeprefix("./").rstrip("/")
    parts = []
    for token in _GLOB_TOKEN.findall(glob):
        if token in _GLOB_MEANING:
            parts.append(_GLOB_MEANING[token])
        elif token.startswith("[") and len(token) > 2:
            parts.append("[^" + token[2:] if token.startswith("[!") else token)
        else:
            parts.append(re.escape(token))
    return "".join(parts)
