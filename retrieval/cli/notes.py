"""`lookup-knowledge get` and `lint`: the notes themselves."""

import re
from pathlib import Path
from typing import cast

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
@click.option(
    "--fail-on",
    type=click.Choice(("error", "warning", "info", "never")),
    default="error",
    show_default=True,
    help="Least severity that makes the exit code 3.",
)
@click.option("--rule", "rules", multiple=True, metavar="RULE", help="Only this rule; repeat.")
@click.option("--traces", is_flag=True, help="Also what the recorded lookups say of the notes.")
@shared_options
def lint(fail_on: str, rules: tuple[str, ...], traces: bool, kb: Path | None, as_json: bool) -> int:
    """List what a curator should correct in the notes.

    The notes are read as they are now. A file that cannot be read as a note is an error; what makes
    notes hard to find is a warning, what may be on purpose is info. The settings leave rules out:
    [lint] ignore = ["missing_keywords"].

    \b
    Examples:
      lookup-knowledge lint
      lookup-knowledge lint --kb handbook --fail-on warning --json
      lookup-knowledge lint --traces --rule unused_note
    """
    from retrieval.knowledge import load_knowledge
    from retrieval.knowledge.lint import Severity, at_least, check_rule_names
    from retrieval.knowledge.lint import lint as find
    from retrieval.knowledge.lint.contract import findings_to_dict
    from retrieval.knowledge.lint.use import asked_queries

    check_rule_names(rules)
    with open_knowledge(kb) as base:
        # From the files as they are now, not from an index; how passages are cut does not matter.
        knowledge = load_knowledge(
            base.location.root,
            base.settings.knowledge,
            window=base.settings.embedding.window,
            measure=lambda text: len(text.split()),
        )
        found = find(
            knowledge,
            settings=base.settings.knowledge,
            ignore=base.settings.lint.ignore,
            queries=asked_queries(base.records().list(limit=None)) if traces else (),
        )
    findings = [finding for finding in found if not rules or finding.rule in rules]
    if as_json:
        emit(findings_to_dict(findings, len(knowledge.entries)))
    else:
        from retrieval.console import Page
        from retrieval.console.findings import show_findings

        show_findings(findings, len(knowledge.entries), Page())
    if fail_on == "never":
        return 0
    threshold = cast(Severity, fail_on)
    return GATE_FAILED if any(at_least(f.severity, threshold) for f in findings) else 0
