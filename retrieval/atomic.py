"""Writing a file in one step: a reader sees the old one or the new one, whole."""

import os
import tempfile
from pathlib import Path


def write_atomic(path: Path, text: str) -> None:
    """Writes UTF-8 text with `\\n` line ends to a file beside `path`, then puts it in its place.

    The text is on the disk before the name is; the folder is made when it is missing.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    part = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes the file private; the new file is as open as the one it replaces.
        part.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)  # gone already, unless something failed
