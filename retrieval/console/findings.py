"""Lint findings for a terminal, by note."""

from collections import Counter
from collections.abc import Sequence

from retrieval.console.page import Page
from retrieval.knowledge.lint import Finding, Severity

_STYLES: dict[Severity, str] = {"error": "red", "warning": "yellow", "info": "cyan"}


def show_findings(findings: Sequence[Finding], notes: int, page: Page) -> None:
    """Write the findings, all of a note under its name, and how many there are of each severity."""
    by_source: dict[str, list[Finding]] = {}
    for finding in findings:
        by_source.setdefault(finding.source, []).append(finding)
    for source, own in by_source.items():
        page.line((source, "bold"), hang=2)
        for finding in own:
            line = f"line {finding.line}: " if finding.line else ""
            page.line(
                (f"{finding.severity}: ", _STYLES[finding.severity]),
                f"{line}{finding.message} {finding.next_action} ",
                (f"[{finding.rule}]", "dim"),
                indent=2,
                hang=2,
            )
    if findings:
        page.blank()
    counts = Counter(finding.severity for finding in findings)
    page.line(
        f"{notes} {'note' if notes == 1 else 'notes'}: {_count(counts['error'], 'error')}, "
        f"{_count(counts['warning'], 'warning')}, {counts['info']} info"
    )


def _count(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"
