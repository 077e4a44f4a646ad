"""The JSON of `lint --json`."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, cast

from typing_extensions import TypedDict

from retrieval.knowledge.lint.rule import Finding, Severity


class FindingDict(TypedDict):
    """One thing to correct; `line` is null where a finding is about the note as a whole.

    `data` holds what the message says. A keyword's finding has `term`, `sources`, `domains`, and
    with `--traces` `queries` (how many hold it) and `queries_shown`.
    """

    rule: str
    severity: Severity
    source: str
    line: int | None
    message: str
    next_action: str
    data: dict[str, Any]


class LintDict(TypedDict):
    """All findings; `notes` counts the notes that were read."""

    notes: int
    errors: int
    warnings: int
    infos: int
    findings: list[FindingDict]


def findings_to_dict(findings: Iterable[Finding], notes: int) -> LintDict:
    """JSON-safe values."""
    rows = list(findings)
    counts = Counter(finding.severity for finding in rows)
    return {
        "notes": notes,
        "errors": counts["error"],
        "warnings": counts["warning"],
        "infos": counts["info"],
        "findings": [cast(FindingDict, asdict(finding)) for finding in rows],
    }
