"""What the command line tells the app: which knowledge base, and whether anything may be written.

Streamlit runs `app.py` anew for every rerun and session, so the choice travels by environment.
"""

import os
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from pathlib import Path

_KB = "WORKBENCH_KB"
_READ_ONLY = "WORKBENCH_READ_ONLY"


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How the app was started."""

    kb: Path | None = None
    """Folder with the notes or a knowledge.toml; None for the default knowledge base."""
    read_only: bool = False
    """True hides everything that writes: labels, settings, building an index."""

    def write_to(self, environ: MutableMapping[str, str]) -> None:
        """Leaves the choice where `read_launch` finds it."""
        for name, value in (
            (_KB, "" if self.kb is None else str(self.kb)),
            (_READ_ONLY, "1" if self.read_only else ""),
        ):
            environ.pop(name, None)
            if value:
                environ[name] = value


def read_launch(environ: Mapping[str, str] = os.environ) -> Launch:
    """How this process was started; the default knowledge base, writable, when nothing is said."""
    kb = environ.get(_KB, "")
    return Launch(kb=Path(kb) if kb else None, read_only=bool(environ.get(_READ_ONLY)))
