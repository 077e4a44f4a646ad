"""Why a file below the root is no note."""

import os
from pathlib import Path, PurePosixPath

from retrieval.knowledge.walking import (
    ENVIRONMENT_FILE,
    SKIPPED_FOLDERS,
    glob_matcher,
    lower_suffix,
)
from retrieval.settings import KnowledgeSettings


def explain_exclusion(root: Path, source: str, settings: KnowledgeSettings) -> str | None:
    """What keeps a file that exists below the root from being read, as a clause for people.

    None for a file that is not there, that the path leaves the root for, or that nothing excludes.
    Never opens the file.
    """
    path = PurePosixPath(source)
    if path.is_absolute() or ".." in path.parts or "\0" in source:
        return None
    real_root = os.path.realpath(root)
    real = os.path.realpath(root / path)
    if not os.path.isfile(real) or os.path.commonpath((real, real_root)) != real_root:
        return None
    return _folder_reason(root, path) or _glob_reason(source, settings)


def _folder_reason(root: Path, path: PurePosixPath) -> str | None:
    for part in path.parts:
        if part.startswith("."):
            return f"'{part}' is hidden"
    for part in path.parts[:-1]:
        if part.lower() in SKIPPED_FOLDERS:
            return f"folders named '{part}' are skipped"
    for folder in path.parents:
        if folder.name and (root / folder).is_symlink():
            return f"'{folder}' is a link to a folder, which is not followed"
        if folder.name and (root / folder / ENVIRONMENT_FILE).exists():
            return f"'{folder}' is a virtual environment"
    return None


def _glob_reason(source: str, settings: KnowledgeSettings) -> str | None:
    for glob in settings.exclude:
        if glob_matcher((glob,), below=True)(source):
            return f"`knowledge.exclude` has the glob '{glob}'"
    include = glob_matcher(settings.include)
    if not (include(source) or include(lower_suffix(source))):
        return f"no glob of `knowledge.include` fits ({', '.join(settings.include)})"
    return None
