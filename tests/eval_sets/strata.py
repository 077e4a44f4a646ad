"""What a query must be like to stand in a stratum, as code.

A stratum is the promise that its queries are hard in one known way. Each rule returns what is
wrong with a case, or None. A stratum without a rule promises nothing and is not looked at.
"""

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from eval_sets.types import Case, EvalSet
from retrieval.text import content_words, script_shares, singular, tokens
from retrieval.types import Entry
from tests.eval_sets.vocabulary import (
    Vocabulary,
    edit_distance,
    folded_categories,
    holds,
    holds_verbatim,
    terms,
)

ANSWERS = 2
"""From this grade on a note answers the query or a part of it; 1 only touches it."""
TYPO_EDITS = 2

Rule = Callable[[Case, tuple[Entry, ...], Vocabulary], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class StratumProblem:
    """A case that breaks the rule of its stratum."""

    case_id: str
    stratum: str
    message: str

    def __str__(self) -> str:
        return f"{self.case_id} ({self.stratum}): {self.message}"


def check_strata(
    eval_set: EvalSet, entries: Iterable[Entry], *, at_least: int = 0
) -> list[StratumProblem]:
    """Every case that breaks its stratum's rule, and every stratum with fewer than `at_least`.

    Empty when the set keeps its promises. Sources that are no entry are for `load_set` to refuse
    and are passed over here.
    """
    vocabulary = Vocabulary.of(entries)
    problems = []
    for case in eval_set.cases:
        rule = RULES.get(case.stratum)
        relevant = tuple(vocabulary.entries[s] for s in case.positives if s in vocabulary.entries)
        message = rule(case, relevant, vocabulary) if rule else None
        if rule and not relevant and case.stratum != "no_answer":
            message = "no relevant note"
        if message:
            problems.append(StratumProblem(case_id=case.id, stratum=case.stratum, message=message))
    sizes = {s: sum(case.stratum == s for case in eval_set.cases) for s in eval_set.strata}
    problems.extend(
        StratumProblem(case_id="-", stratum=stratum, message=f"{size} cases, not {at_least}")
        for stratum, size in sizes.items()
        if size < at_least
    )
    return problems


def _exact(case: Case, relevant: tuple[Entry, ...], _: Vocabulary) -> str | None:
    if any(holds_verbatim(case.query, term) for entry in relevant for term in terms(entry)):
        return None
    return "no keyword or title of a relevant note stands in the query"


def _paraphrase(case: Case, relevant: tuple[Entry, ...], _: Vocabulary) -> str | None:
    words = set(content_words(case.query))
    for entry in relevant:
        named = (*entry.keywords, *entry.entities)
        if shared := next((term for term in named if holds(case.query, term)), None):
            return f"{shared!r} of {entry.source} stands in the query"
        # Pairs of characters are no words: they count in the title, which is short, and a keyword
        # of an unspaced script counts as a whole, above.
        worded = [entry.title, *(term for term in named if _is_spaced(term))]
        if shared_words := words.intersection(w for term in worded for w in content_words(term)):
            return f"{min(shared_words)!r} is shared with {entry.source}"
    return None


def _typo(case: Case, relevant: tuple[Entry, ...], vocabulary: Vocabulary) -> str | None:
    written = [token.text for token in tokens(case.query)]
    unknown = [word for word in written if word.isalpha() and word not in vocabulary.words]
    for entry in relevant:
        targets = {token.text for term in terms(entry) for token in tokens(term)}
        if not any(_is_slip(word, target) for word in unknown for target in targets):
            continue
        if spelt := next((k for k in entry.keywords if holds(case.query, k)), None):
            return f"{spelt!r} of {entry.source} is spelt right"
        return None
    return "no unknown word is within two edits of a word of a relevant note's title or keywords"


def _is_slip(word: str, target: str) -> bool:
    if singular(word) == singular(target) or len(target) <= TYPO_EDITS:
        return False
    return 0 < edit_distance(word, target, TYPO_EDITS) <= TYPO_EDITS


def _inflection(case: Case, relevant: tuple[Entry, ...], _: Vocabulary) -> str | None:
    stems = set(content_words(case.query))
    named = [term for entry in relevant for term in terms(entry)]
    if verbatim := next((term for term in named if holds_verbatim(case.query, term)), None):
        return f"{verbatim!r} stands in the query as written"
    if any((words := set(content_words(term))) and words <= stems for term in named):
        return None
    return "no keyword of a relevant note stands in the query in another form"


def _acronym(case: Case, relevant: tuple[Entry, ...], _: Vocabulary) -> str | None:
    words = [token.text for token in tokens(case.query) if token.text.isalnum()]
    initials = "".join(word[0] for word in words)
    for entry in relevant:
        body = " ".join(passage.text for passage in entry.passages)
        named = {*entry.keywords, *entry.entities, *entry.derived_entities}
        short = {word for text in (*named, entry.title, body) for word in _acronyms(text)}
        if short.intersection(words):
            return None
        keywords = {word for text in (*named, entry.title) for word in _acronyms(text)}
        if any(word in initials for word in keywords):
            return None
    return "no acronym of a relevant note stands in the query, short or long"


def _acronyms(text: str) -> set[str]:
    """Folded words of two to six characters that are written in capitals and digits only."""
    found = (text[token.start : token.end] for token in tokens(text))
    return {w.casefold() for w in found if 2 <= len(w) <= 6 and w.isupper() and w.isalnum()}


def _cross_domain(_: Case, relevant: tuple[Entry, ...], __: Vocabulary) -> str | None:
    if len(frozenset().union(*(folded_categories(entry) for entry in relevant))) < 2:
        return "the relevant notes are of fewer than two categories"
    return None


def _ambiguous(case: Case, _: tuple[Entry, ...], vocabulary: Vocabulary) -> str | None:
    words = content_words(case.query)
    if any(len(vocabulary.categories_of_word.get(word, ())) >= 2 for word in words):
        return None
    return "no word of the query stands in titles or keywords of two categories"


def _filter_trap(case: Case, relevant: tuple[Entry, ...], vocabulary: Vocabulary) -> str | None:
    answering = _answering(case, relevant)
    right = frozenset().union(*(folded_categories(entry) for entry in answering))
    for entry in answering:
        if own := next((k for k in entry.keywords if holds(case.query, k)), None):
            return f"{own!r} of {entry.source}, which answers, stands in the query"
    for entry in vocabulary.entries.values():
        foreign = folded_categories(entry)
        if foreign and not foreign & right and _is_named(case.query, entry):
            return None
    return "no keyword of a note of another category stands in the query"


def _is_named(query: str, entry: Entry) -> bool:
    return any(holds(query, term) for term in (*terms(entry), *entry.entities))


def _multi_relevant(case: Case, _: tuple[Entry, ...], __: Vocabulary) -> str | None:
    if len(case.positives) < 2:
        return "fewer than two relevant notes"
    if len(set(case.positives.values())) < 2:
        return "all relevant notes have the same grade"
    return None


def _no_answer(case: Case, _: tuple[Entry, ...], __: Vocabulary) -> str | None:
    if case.positives:
        return "there is a relevant note"
    return None if case.expect_no_answer else "expect_no_answer is not set"


def _mixed_script(case: Case, _: tuple[Entry, ...], __: Vocabulary) -> str | None:
    return None if len(script_shares(case.query)) > 1 else "the letters are of one script"


def _answering(case: Case, relevant: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """The notes that answer; all relevant ones in a set that grades with 1 only."""
    best = max(case.positives.values(), default=0)
    least = min(ANSWERS, best)
    return tuple(entry for entry in relevant if case.positives[entry.source] >= least)


def _is_spaced(term: str) -> bool:
    return not any(unicodedata.category(char) == "Lo" for char in term)


RULES: Mapping[str, Rule] = {
    "exact": _exact,
    "paraphrase": _paraphrase,
    "typo": _typo,
    "inflection": _inflection,
    "acronym": _acronym,
    "cross_domain": _cross_domain,
    "ambiguous": _ambiguous,
    "filter_trap": _filter_trap,
    "multi_relevant": _multi_relevant,
    "no_answer": _no_answer,
    "mixed_script": _mixed_script,
}
"""Stratum → its rule."""
