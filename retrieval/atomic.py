"""Writing a file in one step: a reader sees the old one or the new one, whole."""

import os
import tempfile
from pathlib import Path


def write_atomic(path: Path, content: str | bytes) -> None:
    """Writes bytes, or UTF-8 text with `\\n` line ends, beside `path` and puts it in its place.

    The content is on the disk before the name is; the folder is made when it is missing.
    """
    data = content.encode() if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes the file private; the new file is as open as the one it replaces.
        part.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)  # gone already, unless something failed
