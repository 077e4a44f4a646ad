"""Versions of what a lookup needs, and which extras are installed."""

import re
import sys
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, requires, version

from retrieval.doctor.check import Check

PROJECT = "knowledge-lookup-workbench"
_SHOWN = ("chromadb", "llama-index-core", "SQLAlchemy", "onnxruntime", "bm25s")
_REQUIREMENT = re.compile(
    r"(?P<name>[\w.-]+)(?:\[[^]]*\])?(?P<range>[^;]*)(?:;.*extra\s*==\s*['\"](?P<extra>[\w.-]+)['\"])?"
)
_NOT_EXTRAS = ("all", "test")


def check_versions() -> Iterable[Check]:
    """This program, Python, and the packages whose release matters most."""
    from retrieval import __version__

    found = {name: _version(name) for name in _SHOWN}
    missing = [name for name, release in found.items() if release is None]
    listed = ", ".join(f"{name} {release}" for name, release in found.items() if release)
    python = ".".join(map(str, sys.version_info[:3]))
    yield Check(
        name="versions",
        status="problem" if missing else "ok",
        detail=f"lookup-knowledge {__version__}, Python {python}, {listed}"
        + (f"; missing: {', '.join(missing)}" if missing else ""),
        next_action=f"Run: pip install {PROJECT}" if missing else "",
    )


def check_extras() -> Iterable[Check]:
    """Which optional parts can be used. None of them has to be there."""
    wanted: dict[str, list[str]] = {}
    for line in requires(PROJECT) or []:
        parts = _REQUIREMENT.match(line)
        if parts and parts["extra"] and parts["extra"] not in _NOT_EXTRAS:
            wanted.setdefault(parts["extra"], []).append(parts["name"])
    there = sorted(e for e, names in wanted.items() if all(_version(n) for n in names))
    absent = sorted(wanted.keys() - set(there))
    detail = f"installed: {', '.join(there) or 'none'}"
    if absent:
        detail += f"; not installed: {', '.join(absent)}"
    yield Check(name="extras", status="ok", detail=detail)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
