"""Running the rules."""

from collections.abc import Iterable

from retrieval.errors import SettingsError
from retrieval.knowledge.decoding import decode
from retrieval.knowledge.lint.registry import LOAD_ROWS, RULES
from retrieval.knowledge.lint.rule import Asked, Finding, Notes
from retrieval.knowledge.loading import Knowledge
from retrieval.knowledge.refusal import NoteRefused
from retrieval.knowledge.walking import Found, walk
from retrieval.settings import KnowledgeSettings
from retrieval.types import LoadIssue


def lint(
    knowledge: Knowledge,
    *,
    settings: KnowledgeSettings | None = None,
    ignore: Iterable[str] = (),
    queries: Iterable[Asked] = (),
) -> tuple[Finding, ...]:
    """The load's rows as findings, then one finding for each hit of each rule, by source.

    `settings` are those that the notes were loaded with; by them the files are found again, for
    rules about lines. Rules named in `ignore` are left out, load rows too. `queries` are what was
    asked, with the notes that answered: rules about use are silent without.

    Raises `SettingsError` for a name in `ignore` that is no rule.
    """
    ignored = frozenset(ignore)
    check_rule_names(ignored)
    notes = Notes(
        knowledge=knowledge,
        texts=_read_texts(knowledge, settings or KnowledgeSettings()),
        asked=tuple(queries),
    )
    loaded = [_from_load(i) for i in knowledge.report.issues if i.code not in ignored]
    found = [finding for rule in RULES if rule.id not in ignored for finding in rule.check(notes)]
    found.sort(key=lambda finding: (finding.source, finding.line or 0))
    return (*loaded, *found)


def check_rule_names(names: Iterable[str]) -> None:
    """Raises `SettingsError` for the first name that is no rule."""
    known = {*LOAD_ROWS, *(rule.id for rule in RULES)}
    for name in names:
        if name not in known:
            raise SettingsError(
                f"There is no lint rule '{name}'.",
                next_action=f"Rules: {', '.join(sorted(known))}.",
            )


def _from_load(issue: LoadIssue) -> Finding:
    return Finding(
        rule=issue.code,
        severity=issue.severity,
        source=issue.source,
        line=issue.line,
        message=issue.message,
        next_action=issue.next_action,
    )


def _read_texts(knowledge: Knowledge, settings: KnowledgeSettings) -> dict[str, str]:
    """The text of each loaded note; one that has changed or gone since is left out."""
    loaded = {entry.source for entry in knowledge.entries}
    texts: dict[str, str] = {}
    if not knowledge.root.is_dir():
        return texts
    for found in walk(knowledge.root, settings):
        if not isinstance(found, Found) or found.source not in loaded:
            continue
        try:
            with open(found.path, "rb") as file:
                texts[found.source] = decode(file.read(), found.source)
        except (OSError, NoteRefused):
            continue
    return texts
