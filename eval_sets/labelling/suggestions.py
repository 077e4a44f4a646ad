"""What to do about a finding of the lint, tried on queries before anybody edits a note.

A keyword that a rule complains of is taken away; a note that its readers' words do not name gets
words of their queries. Each edit is asked as `keyword_effects` asks it, and what it adds and breaks
is told query by query. Nothing is saved, and nothing is guessed: an edit that helps no query is
told as such, or not proposed.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from eval_sets.asking import Progress
from eval_sets.labelling.effects import AS_SET, METRIC, Effect, Effects, keyword_effects
from eval_sets.types import Case, Variant
from retrieval.knowledge.lint import Finding
from retrieval.knowledge_base import KnowledgeBase
from retrieval.text import STOP_WORDS, content_words, singular, tokens

LACKS_WORDS = frozenset({"missing_keywords", "unused_note"})
"""Rules whose note may lack the words of its readers."""
LONGEST_PHRASE = 3
PHRASES_TRIED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """One edit for one finding, and the queries that it would change."""

    finding: Finding
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    effects: Effects
    """Over the queries that share a word with the keyword; the edit can hardly change others."""

    @property
    def gained(self) -> tuple[Effect, ...]:
        """The queries that are answered better, or whose relevant note becomes an L0 match."""
        return tuple(e for e in self.effects.effects if _sign(e, self.effects.source) > 0)

    @property
    def broken(self) -> tuple[Effect, ...]:
        """The queries that are answered worse, or for which a note that is not known to be
        relevant becomes an L0 match."""
        return tuple(e for e in self.effects.effects if _sign(e, self.effects.source) < 0)


def suggest_edits(
    kb: KnowledgeBase,
    findings: Iterable[Finding],
    cases: Sequence[Case],
    *,
    metric: str = METRIC,
    variant: Variant = AS_SET,
    progress: Progress | None = None,
) -> Iterator[Suggestion]:
    """One suggestion for each finding about keywords that the queries can say something of.

    Where a rule names a keyword, removing it from the finding's note is tried. Where a note lacks
    words, phrases of one to three words are taken from the queries whose label calls it relevant
    and is not matched by them, those first that the fewest other queries hold; the one that gains
    most and breaks least is told, unless it breaks more than it gains. Findings about other things
    give no suggestion, and neither does one whose keyword shares no word with any query.

    Raises as `keyword_effects`.
    """
    for finding in findings:
        term = finding.data.get("term")
        about = {"metric": metric, "variant": variant, "progress": progress}
        if isinstance(term, str):
            if near := _near(term, cases):
                effects = keyword_effects(kb, finding.source, near, remove=[term], **about)  # type: ignore[arg-type]
                yield Suggestion(finding=finding, remove=(term,), effects=effects)
        elif finding.rule in LACKS_WORDS:
            tried = [
                Suggestion(
                    finding=finding,
                    add=(phrase,),
                    effects=keyword_effects(
                        kb,
                        finding.source,
                        _near(phrase, cases),
                        add=[phrase],
                        **about,  # type: ignore[arg-type]
                    ),
                )
                for phrase in _phrases(finding.source, cases)
            ]
            best = max(tried, key=_balance, default=None)
            if best is not None and best.gained and _balance(best) >= 0:
                yield best


def _sign(effect: Effect, source: str) -> float:
    """Above 0 for a query that gains, below for one that loses, 0 for neither."""
    if effect.change:
        return effect.change
    relevant = source in effect.case.positives
    if effect.match == "gained":
        return 1.0 if relevant else -1.0
    if effect.match == "lost":
        return -1.0 if relevant else 1.0
    return 0.0


def _balance(suggestion: Suggestion) -> int:
    return len(suggestion.gained) - len(suggestion.broken)


def _near(term: str, cases: Iterable[Case]) -> list[Case]:
    """The cases that share a word with the term."""
    words = _words(term)
    return [case for case in cases if words & _words(case.query)]


def _words(text: str) -> set[str]:
    return {singular(token.text) for token in tokens(text)}


def _phrases(source: str, cases: Sequence[Case]) -> list[str]:
    """Phrases of the queries that the note answers, those first that it shares with the fewest
    others, then those of most of its own queries, then the longer ones."""
    own: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for case in cases:
        (own if source in case.positives else others).update(set(_runs(case.query)))
    ordered = sorted(own, key=lambda p: (others[p], -own[p], -len(p.split()), p))
    return ordered[:PHRASES_TRIED]


def _runs(query: str) -> Iterator[str]:
    """Runs of words that neither begin nor end with an everyday word, and could be a keyword."""
    words = [token.text for token in tokens(query)]
    for start in range(len(words)):
        for end in range(start + 1, min(start + LONGEST_PHRASE, len(words)) + 1):
            run = words[start:end]
            if run[0] not in STOP_WORDS and run[-1] not in STOP_WORDS:
                phrase = " ".join(run)
                if content_words(phrase):
                    yield phrase
