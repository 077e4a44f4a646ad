"""The notes as they lie in the folder now: their fields, and what a curator should correct."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval.errors import RecordError, RetrievalError
from retrieval.knowledge_base import KnowledgeBase
from retrieval.types import Entry, ErrorInfo, LoadIssue

if TYPE_CHECKING:
    from retrieval.knowledge import Knowledge
    from retrieval.knowledge.lint import Asked, Finding

RECORDS_READ = 2000
"""Recorded lookups that are looked at, the newest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What was asked of these notes, recorded and labelled."""

    asked: "tuple[Asked, ...]" = ()
    """Each folded query once, with every note that it returned or that is labelled relevant; the
    blank query stands for all that were recorded without their text."""
    recorded: int = 0
    labelled: int = 0
    problem: ErrorInfo | None = None
    """Why recorded or labelled queries are missing."""

    def queries_of(self, source: str) -> tuple[str, ...]:
        """The queries that returned a note or have it as relevant."""
        found = (asked.query for asked in self.asked if source in asked.sources)
        return tuple(query for query in found if query)


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """The notes of the folder and their health."""

    entries: tuple[Entry, ...]
    failed: tuple[LoadIssue, ...]
    """Files that are no note, with the reason."""
    findings: "tuple[Finding, ...]"
    """Those about failed files included."""
    by_source: "Mapping[str, tuple[Finding, ...]]"


def read_use(base: KnowledgeBase) -> Use:
    """The newest recorded lookups and the labelled queries, as far as they can be read."""
    from retrieval.knowledge.lint import Asked
    from retrieval.knowledge.lint.use import asked_queries
    from retrieval.text import fold

    problem = None
    found: dict[str, tuple[str, dict[str, None]]] = {}

    def add(query: str, sources: list[str]) -> None:
        known = found.setdefault(fold(query), (query, {}))[1]
        known.update(dict.fromkeys(sources))

    recorded = labelled = 0
    try:
        for call in asked_queries(base.records().list(RECORDS_READ)):
            recorded += 1
            add(call.query, list(call.sources))
    except RecordError as error:
        problem = error.info()
    for query, sources in _labelled(base):
        labelled += 1
        add(query, sources)
    asked = tuple(Asked(query=query, sources=tuple(sources)) for query, sources in found.values())
    return Use(asked=asked, recorded=recorded, labelled=labelled, problem=problem)


def survey_notes(base: KnowledgeBase, use: Use) -> Survey:
    """Loads the folder and checks it; notes that are as in the index are not cut again."""
    from retrieval.knowledge.lint import lint

    knowledge = _load(base)
    findings = lint(
        knowledge,
        settings=base.settings.knowledge,
        ignore=base.settings.lint.ignore,
        queries=use.asked,
    )
    by_source: dict[str, list[Finding]] = {}
    for finding in findings:
        by_source.setdefault(finding.source, []).append(finding)
    return Survey(
        entries=knowledge.entries,
        failed=knowledge.report.errors,
        findings=findings,
        by_source={source: tuple(found) for source, found in by_source.items()},
    )


def _load(base: KnowledgeBase) -> "Knowledge":
    from retrieval.knowledge import load_knowledge

    indexed = base.knowledge
    embedder = base.embedder
    return load_knowledge(
        base.location.root,
        base.settings.knowledge,
        window=embedder.spec.window,
        measure=embedder.measure,
        reuse={entry.source: entry for entry in indexed.entries},
        reuse_issues=indexed.report.issues,
    )


def _labelled(base: KnowledgeBase) -> list[tuple[str, list[str]]]:
    from eval_sets.labelling import list_sets
    from eval_sets.loading import CASES_NAME, read_cases

    found = []
    try:
        summaries = list_sets(base)
    except RetrievalError:
        return []
    for summary in summaries:
        if summary.problem is None:
            cases = read_cases(summary.folder / CASES_NAME, [])
            found += [(case.query, list(case.positives)) for _, case in cases]
    return found


def rule_reasons() -> Mapping[str, str]:
    """What each rule's findings do to retrieval, by rule."""
    from retrieval.knowledge.lint import LOAD_ROWS, RULES

    return LOAD_ROWS | {rule.id: rule.why for rule in RULES}
