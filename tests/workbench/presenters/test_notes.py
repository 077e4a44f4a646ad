"""Notes and findings as they are drawn."""

from retrieval.knowledge.lint import Finding
from retrieval.types import Entry, LoadIssue
from workbench.presenters.notes import (
    HEALTH,
    filter_rows,
    findings_table,
    group_findings,
    note_fields,
    note_rows,
    use_line,
)
from workbench.services.notes import Survey, Use


def finding(source: str, rule: str = "missing_keywords", **values: object) -> Finding:
    data = {"severity": "warning", "message": "It <is> bad.", "next_action": "Mend it."} | values
    return Finding(rule=rule, source=source, **data)  # type: ignore[arg-type]


BAD = finding("bad.md", "yaml", severity="error", line=3)
SURVEY = Survey(
    entries=(
        Entry(source="a/x.md", title="Straße", keywords=("k",), categories=("A", "B")),
        Entry(source="b.md", title="Other"),
    ),
    failed=(LoadIssue(source="bad.md", severity="error", code="yaml", message="no"),),
    findings=(BAD, finding("b.md")),
    by_source={"bad.md": (BAD,), "b.md": (finding("b.md"),)},
)


def test_files_that_cannot_be_read_are_rows_too() -> None:
    rows = note_rows(SURVEY)
    assert [(row.source, row.health) for row in rows] == [
        ("a/x.md", "fine"),
        ("b.md", "1 finding"),
        ("bad.md", "cannot be read"),
    ]


def test_rows_are_filtered_folded() -> None:
    rows = note_rows(SURVEY)
    assert [row.source for row in filter_rows(rows, text="STRASSE")] == ["a/x.md"]
    assert [row.source for row in filter_rows(rows, category="B")] == ["a/x.md"]
    by_health = {state: [row.source for row in filter_rows(rows, health=state)] for state in HEALTH}
    assert by_health == {
        "any health": ["a/x.md", "b.md", "bad.md"],
        "with findings": ["b.md", "bad.md"],
        "cannot be read": ["bad.md"],
        "fine": ["a/x.md"],
    }


def test_errors_come_first_then_the_largest_group() -> None:
    found = [finding("1"), finding("2", "a_rule"), finding("3", "a_rule"), BAD]
    groups = group_findings(found, {"a_rule": "why"})
    assert [(group.rule, group.why) for group in groups] == [
        ("yaml", ""),
        ("a_rule", "why"),
        ("missing_keywords", ""),
    ]
    assert groups[1].label == "a rule (2)"


def test_a_finding_shows_line_change_and_queries() -> None:
    touched = finding("c.md", line=4, data={"queries_shown": ["what <is> it"]})
    table = findings_table([touched])
    assert "c.md:4" in table
    assert "It &lt;is&gt; bad." in table
    assert "Mend it." in table
    assert "Queries with it: what &lt;is&gt; it" in table


def test_fields_are_escaped() -> None:
    entry = Entry(source="x.md", title="<b>", keywords=("<i>",), metadata={"<k>": ["<v>"]})
    fields = note_fields(entry)
    assert "<b>" not in fields
    assert "<i>" not in fields
    assert "&lt;k&gt;" in fields
    assert "&lt;v&gt;" in fields


def test_without_any_query_nothing_is_claimed() -> None:
    assert use_line((), Use()) == "Nothing was asked or labelled yet."
