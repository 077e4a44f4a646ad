"""Rules about use: they need the queries that were asked."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from retrieval.knowledge.lint.rule import Asked, Finding, Notes

if TYPE_CHECKING:
    from retrieval.records import ToolInvocation


def asked_queries(invocations: "Iterable[ToolInvocation]") -> tuple[Asked, ...]:
    """The recorded lookups as queries with the notes that answered; those without a query too,
    for their notes. Refused calls and errors asked nothing."""
    return tuple(
        Asked(
            query=invocation.query or "",
            sources=tuple(
                block["source"]
                for block in invocation.retrieval_details.get("evidence_blocks") or ()
            ),
        )
        for invocation in invocations
        if invocation.outcome not in ("refused", "error")
    )


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
