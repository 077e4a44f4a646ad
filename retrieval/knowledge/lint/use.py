"""Rules about use: they need the queries that were asked."""

from collections.abc import Iterator

from retrieval.knowledge.lint.rule import Finding, Notes


def find_unused_notes(notes: Notes) -> Iterator[Finding]:
    """Notes that no query that was asked returned; silent where nothing was asked."""
    if not notes.asked:
        return
    used = {source for asked in notes.asked for source in asked.sources}
    count = len(notes.asked)
    for entry in notes.knowledge.entries:
        if entry.source not in used:
            yield Finding(
                rule="unused_note",
                severity="info",
                source=entry.source,
                message=f"None of the {count} {'query' if count == 1 else 'queries'} returned it.",
                next_action="Add the words that people use for it, or retire it.",
                data={"queries": count},
            )
