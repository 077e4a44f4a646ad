"""What the figures depend on: the machine, the versions, the code. Not which machine it is."""

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from retrieval.types import Json

PACKAGES = (
    "chromadb",
    "llama-index-core",
    "onnxruntime",
    "tokenizers",
    "bm25s",
    "numpy",
    "SQLAlchemy",
    "haystack-ai",
    "chroma-haystack",
    "langchain-chroma",
    "langchain-text-splitters",
    "txtai",
)
# Instructions that decide how fast int8 and fp32 products are.
_FLAGS = ("avx2", "avx512f", "avx512_vnni", "avx_vnni", "amx_int8", "asimddp")


def describe_machine() -> dict[str, Json]:
    """Cores, memory, processor flags, versions, date, revision, and the load before the start."""
    return {
        "cores": count_cores(),
        "memory_gib": _memory_gib(),
        "system": platform.system(),
        "processor": platform.machine(),
        "flags": _flags(),
        "python": platform.python_version(),
        "packages": {name: found for name in PACKAGES if (found := _version(name))},
        "revision": _revision(),
        "date": datetime.now(UTC).date().isoformat(),
        "load_average_at_start": [round(value, 2) for value in os.getloadavg()],
    }


def count_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _memory_gib() -> float:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return round(pages / 2**30, 1)


def _flags() -> Json:
    """Known flags that the processor has; None where the system does not tell."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    words = {
        word
        for line in lines
        if line.lower().startswith(("flags", "features"))
        for word in line.split(":", 1)[1].split()
    }
    return [flag for flag in _FLAGS if flag in words]


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _revision() -> str | None:
    """The commit of the code that ran, with `+` when it was changed; None outside a checkout."""
    folder = Path(__file__).parent

    def git(*words: str) -> str | None:
        try:
            done = subprocess.run(
                ["git", *words], cwd=folder, capture_output=True, text=True, check=True
            )
        except (OSError, subprocess.CalledProcessError):
            return None
        return done.stdout.strip()

    commit = git("rev-parse", "--short=12", "HEAD")
    if commit is None:
        return None
    changed = git("status", "--porcelain", "--", "*.py", "pyproject.toml")
    return commit + ("+" if changed else "")
