"""`lookup-knowledge get` and `lint`: the notes themselves."""

import re
from dataclasses import asdict
from pathlib import Path

import click

from retrieval.cli.common import emit, open_knowledge, shared_options
from retrieval.errors import InvalidInput

GATE_FAILED = 3
LAST_LINE = 2**31 - 1


@click.command()
@click.argument("source")
@click.option("--lines", metavar="A:B", help="Only these lines; A: and :B are open.")
@shared_options
def get(source: str, lines: str | None, kb: Path | None, as_json: bool) -> None:
    """Print the note SOURCE, named as answers name it.

    \b
    Examples:
      lookup-knowledge get billing/refund-window.md
      lookup-knowledge get billing/refund-window.md --lines 10:20 --json
    """
    span = None if lines is None else parse_lines(lines)
    with open_knowledge(kb) as knowledge:
        text = knowledge.get(source, span)
    if as_json:
        start = span[0] if span else 1
        count = text.removesuffix("\n").count("\n") + 1 if text else 0
        end = start + count - 1
        emit({"source": source, "line_start": start, "line_end": end, "content": text})
    else:
        from retrieval.console import plain

        click.echo(plain(text).removesuffix("\n"))


def parse_lines(lines: str) -> tuple[int, int]:
    """First and last line, 1-based, of `A:B`, `A:`, `:B` or `A`. Raises `InvalidInput`."""
    parts = re.fullmatch(r"\s*(\d*)\s*(:?)\s*(\d*)\s*", lines)
    if parts is not None and (parts[1] or parts[3]):
        first = int(parts[1] or 1)
        last = int(parts[3]) if parts[3] else (LAST_LINE if parts[2] else first)
        if 1 <= first <= last:
            return first, last
    raise InvalidInput(
        f"'{lines}' names no lines.", next_action="Write --lines A:B with 1 ≤ A ≤ B."
    )


@click.command()
@shared_options
def lint(kb: Path | None, as_json: bool) -> int:
    """List what a curator should correct in the notes.

    The exit code is 3 when a file cannot be read as a note.

    \b
    Examples:
      lookup-knowledge lint
      lookup-knowledge lint --kb handbook --json
    """
    from retrieval.bundled import default_knowledge
    from retrieval.knowledge import lint as find_issues
    from retrieval.knowledge import load_knowledge
    from retrieval.settings import load_settings

    settings, location = load_settings(kb or default_knowledge(Path.cwd()))
    # From the files as they are now, not from an index; how passages are cut does not matter here.
    knowledge = load_knowledge(
        location.root,
        settings.knowledge,
        window=settings.embedding.window,
        measure=lambda text: len(text.split()),
    )
    issues = find_issues(knowledge)
    errors = sum(issue.severity == "error" for issue in issues)
    if as_json:
        emit(
            {
                "notes": len(knowledge.entries),
                "errors": errors,
                "warnings": len(issues) - errors,
                "issues": [asdict(issue) for issue in issues],
            }
        )
    else:
        from retrieval.console import Page

        page = Page()
        for issue in issues:
            style = "red" if issue.severity == "error" else "yellow"
            page.line((f"{issue.severity}: ", style), str(issue), hang=2)
        page.line(
            f"{len(knowledge.entries)} notes, {errors} errors, {len(issues) - errors} warnings"
        )
    return GATE_FAILED if errors else 0
