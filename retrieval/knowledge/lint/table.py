"""The rules as a table for the documentation."""

from retrieval.knowledge.lint.registry import LOAD_ROWS, RULES


def rules_table() -> str:
    """A Markdown table of the rules, then one of the rows that the load reports."""
    lines = ["| Rule | Severity | Why | Example |", "| --- | --- | --- | --- |"]
    lines += [f"| `{r.id}` | {r.severity} | {r.why} | {r.example} |" for r in RULES]
    lines += ["", "| Load row | Meaning |", "| --- | --- |"]
    lines += [f"| `{code}` | {meaning} |" for code, meaning in LOAD_ROWS.items()]
    return "\n".join(lines)
