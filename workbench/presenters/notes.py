"""The page Knowledge as values: the table of notes, one note's fields, findings by rule."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from retrieval.text import fold
from retrieval.types import Entry
from workbench.presenters.markup import chip, clip, joined, tag, visible
from workbench.presenters.prose import prose
from workbench.services.health import IndexHealth
from workbench.services.notes import Survey, Use

if TYPE_CHECKING:
    from retrieval.knowledge.lint import Finding
    from retrieval.semantic.build import IndexReport

COLUMNS = ("Source", "Title", "Category", "Keywords", "Passages", "Health")
HEALTH = ("any health", "with findings", "cannot be read", "fine")
TONES = {"error": "bad", "warning": "warn", "info": ""}
QUERIES_SHOWN = 8
_ORDER = ("error", "warning", "info")


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteRow:
    """One file of the folder in the table."""

    source: str
    title: str
    category: str
    keywords: int
    passages: int
    health: str
    worst: str
    """`error`, `warning`, `info`, or empty without findings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleGroup:
    """The findings of one rule."""

    rule: str
    severity: str
    why: str
    findings: "tuple[Finding, ...]"

    @property
    def label(self) -> str:
        """Name and count, plain text."""
        return f"{self.rule.replace('_', ' ')} ({len(self.findings):,})"


def note_rows(survey: Survey) -> tuple[NoteRow, ...]:
    """All notes and the files that could not be read, by source."""
    rows = [
        NoteRow(
            source=entry.source,
            title=entry.title,
            category=", ".join(entry.categories),
            keywords=len(entry.keywords),
            passages=len(entry.passages),
            health=_health(survey.by_source.get(entry.source, ())),
            worst=_worst(survey.by_source.get(entry.source, ())),
        )
        for entry in survey.entries
    ]
    rows += [
        NoteRow(
            source=source,
            title="",
            category="",
            keywords=0,
            passages=0,
            health="cannot be read",
            worst="error",
        )
        for source in {issue.source for issue in survey.failed}
    ]
    return tuple(sorted(rows, key=lambda row: row.source))


def filter_rows(
    rows: Sequence[NoteRow], *, text: str = "", category: str | None = None, health: str = HEALTH[0]
) -> tuple[NoteRow, ...]:
    """The rows whose source or title holds the text, of a category and a state of health."""
    wanted = fold(text)
    return tuple(
        row
        for row in rows
        if (not wanted or wanted in fold(row.source) or wanted in fold(row.title))
        and (category is None or category in row.category.split(", "))
        and (
            health == HEALTH[0]
            or (health == HEALTH[1] and bool(row.worst))
            or (health == HEALTH[2] and row.health == HEALTH[2])
            or (health == HEALTH[3] and not row.worst)
        )
    )


def table_of(rows: Sequence[NoteRow]) -> dict[str, list[str | int]]:
    """The rows by column."""
    return {
        "Source": [visible(row.source) for row in rows],
        "Title": [visible(row.title) for row in rows],
        "Category": [visible(row.category) for row in rows],
        "Keywords": [row.keywords for row in rows],
        "Passages": [row.passages for row in rows],
        "Health": [row.health for row in rows],
    }


def categories_of(survey: Survey) -> tuple[str, ...]:
    """Every category as written, by name."""
    return tuple(sorted({name for entry in survey.entries for name in entry.categories}))


def group_findings(findings: "Sequence[Finding]", why: Mapping[str, str]) -> tuple[RuleGroup, ...]:
    """The findings by rule: errors first, then the rules with most findings."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.rule, []).append(finding)
    made = [
        RuleGroup(
            rule=rule,
            severity=_worst(found),
            why=why.get(rule, ""),
            findings=tuple(found),
        )
        for rule, found in groups.items()
    ]
    made.sort(key=lambda g: (_ORDER.index(g.severity), -len(g.findings), g.rule))
    return tuple(made)


def findings_table(findings: "Sequence[Finding]") -> Markup:
    """Where, what, what to change, and the queries it touches."""
    rows = [
        tag(
            "tr",
            tag("td", _where(finding), css="kt-source-cell"),
            tag(
                "td",
                tag("div", prose(finding.message)),
                tag("div", prose(finding.next_action), css="kw-muted"),
                _touched(finding),
            ),
        )
        for finding in findings
    ]
    return tag("table", tag("tbody", *rows), css="kt-table")


def note_fields(entry: Entry) -> Markup:
    """The fields of a note as they were loaded."""
    other = ((key, _shown(value)) for key, value in entry.metadata.items())
    facts: list[tuple[str, str | Markup]] = [
        ("Title", entry.title),
        ("Categories", joined([chip(name, tone="accent") for name in entry.categories])),
        ("Keywords", joined([chip(word) for word in entry.keywords])),
        ("Entities", joined([chip(word) for word in entry.entities])),
        ("Found names", joined([chip(word) for word in entry.derived_entities])),
        ("Passages", str(len(entry.passages))),
        *other,
    ]
    return tag(
        "dl",
        *(joined([tag("dt", visible(name)), tag("dd", value or "–")]) for name, value in facts),
        css="kt-facts",
    )


def use_line(queries: Sequence[str], use: Use) -> str:
    """Which queries returned a note; plain text."""
    if not use.asked:
        return "Nothing was asked or labelled yet."
    if not queries:
        return f"None of the {len(use.asked):,} queries asked returned it."
    shown = "; ".join(clip(" ".join(query.split()), 80) for query in queries[:QUERIES_SHOWN])
    more = len(queries) - QUERIES_SHOWN
    return f"Returned for: {shown}" + (f"; and {more:,} more" if more > 0 else "")


def index_line(health: IndexHealth, survey: Survey) -> str:
    """How many notes there are, and whether lookups see them as they are; plain text."""
    passages = sum(len(entry.passages) for entry in survey.entries)
    line = f"{len(survey.entries):,} notes, {passages:,} passages"
    if survey.failed:
        failed = len({issue.source for issue in survey.failed})
        line += f", {failed:,} {'file' if failed == 1 else 'files'} that cannot be read"
    return f"{line}. {health.message or health.short + '.'}"


def report_facts(report: "IndexReport") -> tuple[tuple[str, str], ...]:
    """What a re-index did."""
    return (
        ("Added", f"{report.added:,}"),
        ("Updated", f"{report.updated:,}"),
        ("Deleted", f"{report.deleted:,}"),
        ("Unchanged", f"{report.unchanged:,}"),
        ("Failed", f"{report.failed:,}"),
        ("Passages", f"{report.passages:,}"),
        ("Embedded", f"{report.embedded:,}"),
        ("Time", f"{report.seconds:.1f} s"),
    )


def _health(findings: "Sequence[Finding]") -> str:
    if not findings:
        return "fine"
    return f"{len(findings)} {'finding' if len(findings) == 1 else 'findings'}"


def _worst(findings: "Sequence[Finding]") -> str:
    found = {finding.severity for finding in findings}
    return next((severity for severity in _ORDER if severity in found), "")


def _where(finding: "Finding") -> Markup:
    line = f":{finding.line}" if finding.line else ""
    return joined(
        [
            chip(finding.severity, tone=TONES[finding.severity]),
            tag("div", f"{finding.source}{line}"),
        ]
    )


def _touched(finding: "Finding") -> Markup:
    shown = finding.data.get("queries_shown")
    if not isinstance(shown, list) or not shown:
        return Markup()
    texts = "; ".join(clip(" ".join(str(query).split()), 80) for query in shown)
    return tag("div", f"Queries with it: {texts}", css="kw-muted kt-small")


def _shown(value: object) -> str:
    return clip(value if isinstance(value, str) else repr(value), 300)
