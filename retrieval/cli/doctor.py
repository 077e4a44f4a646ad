"""`lookup-knowledge doctor`: what is well, and what needs doing."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from retrieval.cli.common import emit, shared_options

if TYPE_CHECKING:
    from retrieval.doctor import Check

NEEDS_DOING = 1
_STYLES = {"ok": "green", "warning": "yellow", "problem": "bold red", "not checked": "dim"}


@click.command()
@shared_options
def doctor(kb: Path | None, as_json: bool) -> int:
    """Check settings, notes, index, embedder and records, and say what to run.

    Nothing is changed. The exit code is 1 when something needs doing.

    \b
    Examples:
      lookup-knowledge doctor
      lookup-knowledge doctor --kb handbook --json
    """
    from retrieval.doctor import examine

    checks = examine(kb)
    waiting = [check for check in checks if check.needs_action]
    if as_json:
        emit({"ok": not waiting, "checks": [asdict(check) for check in checks]})
    else:
        _show(checks, len(waiting))
    return NEEDS_DOING if waiting else 0


def _show(checks: "tuple[Check, ...]", waiting: int) -> None:
    from retrieval.console import Page

    page = Page()
    width = max(len(check.name) for check in checks)
    mark = max(map(len, _STYLES))
    for check in checks:
        page.line(
            (f"{check.status:<{mark}}", _STYLES[check.status]),
            f"  {check.name:<{width}}  {check.detail}",
            hang=mark + width + 4,
        )
        if check.next_action:
            page.line((check.next_action, "bold"), indent=mark + width + 4)
    page.blank()
    if waiting:
        page.line((f"{waiting} of {len(checks)} checks need something done.", "bold"))
    else:
        page.line(("All is well.", "bold"))
