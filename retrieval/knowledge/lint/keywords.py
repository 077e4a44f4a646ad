"""Rules about keywords: those that match too much, too little, or route nowhere."""

from collections.abc import Iterator

from retrieval.hints import COMMON_NOTES, COMMON_SHARE, LENGTH_FLOOR, RARITY_FLOOR
from retrieval.knowledge.lint.rule import Finding, Notes, Severity, Term
from retrieval.text import STOP_WORDS, content_words, fold, term_key
from retrieval.types import Json

QUERIES_SHOWN = 5
_GENERIC_WORDS = """
    article document documentation docs draft faq general guide guidelines help howto index
    info information introduction knowledge misc miscellaneous note notes other overview page
    readme reference todo untitled various
"""
_GENERIC = frozenset(_GENERIC_WORDS.split())


def find_missing_keywords(notes: Notes) -> Iterator[Finding]:
    """Notes that only their title can name."""
    for entry in notes.knowledge.entries:
        if not entry.keywords:
            yield Finding(
                rule="missing_keywords",
                severity="warning",
                source=entry.source,
                message="The note has no keywords.",
                next_action="Add keywords: with the words that people use for it.",
            )


def find_common_keywords(notes: Notes) -> Iterator[Finding]:
    """Keywords that match, on too many notes to tell them apart; told at the first of the notes."""
    for term in notes.terms:
        if len(term.sources) > _limit(notes) and _passes_floor(term, notes):
            count = len(notes.knowledge.entries)
            yield _about(
                notes,
                term,
                rule="common_keyword",
                severity="warning",
                message=f"The keyword '{term.written}' stands on {len(term.sources)} of {count} "
                "notes, so it tells them hardly apart.",
                next_action="Use it as a category, or choose a narrower word.",
            )


def find_dead_keywords(notes: Notes) -> Iterator[Finding]:
    """Common keywords whose words are too common too: they match a query only when it is nothing
    else."""
    for term in notes.terms:
        if len(term.sources) <= _limit(notes) or _is_everyday(term.written):
            continue
        if _passes_floor(term, notes):
            continue
        yield _about(
            notes,
            term,
            rule="dead_keyword",
            severity="warning",
            message=f"The keyword '{term.written}' is no match inside a longer query: it stands on "
            f"{len(term.sources)} notes, and its words are too short or too common.",
            next_action="Delete it, or choose a narrower word.",
        )


def find_generic_keywords(notes: Notes) -> Iterator[Finding]:
    """Keywords of everyday words only, which never match, and words that fit any note."""
    terms = {term.key: term for term in notes.terms}
    for entry in notes.knowledge.entries:
        for keyword in entry.keywords:
            if _is_everyday(keyword):
                message = f"The keyword '{keyword}' holds everyday words only and never matches."
            elif fold(keyword) in _GENERIC or (keyword.isascii() and not content_words(keyword)):
                message = f"The keyword '{keyword}' fits almost any query."
            else:
                continue
            term = terms[term_key(keyword)]
            yield _about(
                notes,
                term,
                rule="generic_keyword",
                severity="warning",
                message=message,
                next_action="Choose a word that only this subject has.",
                source=entry.source,
            )


def find_ambiguous_keywords(notes: Notes) -> Iterator[Finding]:
    """Keywords of notes without a common category: a query with them is never limited to one."""
    categories = {
        entry.source: {fold(category) for category in entry.categories}
        for entry in notes.knowledge.entries
    }
    for term in notes.terms:
        own = [categories[source] for source in term.sources if categories[source]]
        if len(own) < 2 or len(term.sources) > _limit(notes) or set.intersection(*own):
            continue
        yield _about(
            notes,
            term,
            rule="ambiguous_keyword",
            severity="info",
            message=f"The keyword '{term.written}' stands on notes of {len(term.domains)} "
            f"categories ({', '.join(term.domains[:5])}), so it limits no query to one.",
            next_action="Add the word that tells them apart, as in a longer keyword.",
        )


def find_redundant_keywords(notes: Notes) -> Iterator[Finding]:
    """Keywords that match exactly where another keyword of the same note does."""
    for entry in notes.knowledge.entries:
        seen: dict[tuple[str, ...], str] = {}
        for keyword in entry.keywords:
            first = seen.setdefault(term_key(keyword), keyword)
            if first is not keyword:
                yield Finding(
                    rule="redundant_keyword",
                    severity="info",
                    source=entry.source,
                    message=f"The keyword '{keyword}' matches wherever '{first}' does.",
                    next_action="Delete one: plurals and hyphens match without it.",
                    data={"term": keyword, "other": first, "sources": [entry.source]},
                )


def _passes_floor(term: Term, notes: Notes) -> bool:
    """True when L0 takes the term for a match although it is common."""
    letters = sum(2 if not char.isascii() else 1 for char in term.written if char.isalnum())
    rarity = notes.headlines.relative_rarity(content_words(term.written))
    return letters >= LENGTH_FLOOR and rarity >= RARITY_FLOOR


def _limit(notes: Notes) -> float:
    return max(COMMON_NOTES, COMMON_SHARE * len(notes.knowledge.entries))


def _is_everyday(keyword: str) -> bool:
    """True when L0 never takes the keyword for a hit: stop words, not written in capitals."""
    return STOP_WORDS.issuperset(fold(keyword).split()) and not keyword.isupper()


def _about(
    notes: Notes,
    term: Term,
    *,
    rule: str,
    severity: Severity,
    message: str,
    next_action: str,
    source: str | None = None,
) -> Finding:
    data: dict[str, Json] = {
        "term": term.written,
        "sources": list(term.sources),
        "domains": list(term.domains),
    }
    if notes.asked:
        touched = notes.touched(term.key)
        data |= {"queries": len(touched), "queries_shown": touched[:QUERIES_SHOWN]}
        message += f" {len(touched)} of the queries asked hold it."
    return Finding(
        rule=rule,
        severity=severity,
        source=source or term.sources[0],
        message=message,
        next_action=next_action,
        data=data,
    )
