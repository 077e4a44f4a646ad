"""L0: which notes' titles, keywords and entities stand in the query, and what that hints at.

A term matches as a whole word or phrase (as a substring in scripts without blanks), whatever its
case, width, accent form, hyphens or regular plural. Everything in a query is literal text.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from retrieval.domains import DomainNames
from retrieval.overlap import HEADING_SHARE, HeadlineIndex, Overlap
from retrieval.shown import cut
from retrieval.text import (
    STOP_WORDS,
    Token,
    content_words,
    fold,
    singular,
    term_key,
    tokens,
    written_forms,
)
from retrieval.types import Entry, L0Hints, L0Match, NearMatch, TermField, TermHit

MATCHES_SHOWN = 50
NEAR_SHOWN = 50
HINTS_SHOWN = 30
# An author's term on at most max(COMMON_NOTES, COMMON_SHARE) of the notes is always a match.
COMMON_NOTES = 3
COMMON_SHARE = 0.02
# Other hits need this much rarity (1 = one word that a single note holds) and this many letters.
RARITY_FLOOR = 1.2
LENGTH_FLOOR = 4
HIT_WEIGHT = 0.05
LONGEST_HEADING = 80

_FIELD_ORDER: dict[TermField, int] = {"keyword": 0, "title": 1, "entity": 2, "category": 3}


@dataclass(frozen=True, slots=True)
class _Term:
    """A term as notes write it."""

    term: str
    field: TermField
    authored: bool


class L0Index:
    """The notes' terms, ready to be found in queries. Built once; holds no file or connection."""

    def __init__(
        self,
        entries: Sequence[Entry],
        *,
        heading_share: float = HEADING_SHARE,
        hit_weight: float = HIT_WEIGHT,
    ) -> None:
        self.entries = tuple(sorted(entries, key=lambda entry: entry.source))
        self.headlines = HeadlineIndex(self.entries, heading_share=heading_share)
        self._hit_weight = hit_weight
        self._common = max(COMMON_NOTES, COMMON_SHARE * len(self.entries))
        # Key → the ways to write it → positions of the notes that have it so.
        self._terms: defaultdict[tuple[str, ...], defaultdict[_Term, list[int]]] = defaultdict(
            lambda: defaultdict(list)
        )
        self._domains = DomainNames(self.entries)
        self._position = {entry.source: position for position, entry in enumerate(self.entries)}
        for position, entry in enumerate(self.entries):
            self._add(position, (entry.title,), "title", authored=False)
            self._add(position, entry.keywords, "keyword", authored=True)
            self._add(position, entry.entities, "entity", authored=True)
            self._add(position, entry.derived_entities, "entity", authored=False)
        self._notes = {
            key: len({p for term, held in terms.items() if term.authored for p in held})
            for key, terms in self._terms.items()
        }
        lengths = {len(key) for key in (*self._terms, *self._domains.by_key)}
        self._lengths = sorted(lengths, reverse=True)

    def _add(self, position: int, terms: Iterable[str], field: TermField, authored: bool) -> None:
        for term in terms:
            key = term_key(term)
            if key:
                self._terms[key][_Term(term, field, authored)].append(position)

    def match(self, query: str, admits: Callable[[Entry], bool] | None = None) -> L0Hints:
        """The hints for a query, over the notes that the caller's filters admit.

        Empty hints when nothing fits; never raises, whatever the query holds.
        """
        found: defaultdict[int, list[TermHit]] = defaultdict(list)
        domain_hits: list[tuple[str, TermHit]] = []
        whole = fold(query)
        names_domain = cache(lambda domain: self._domains.counts(domain, admits))
        for key, start, end in self._spans(query):
            written = query[start:end]
            for term, positions in self._terms.get(key, {}).items():
                if not self._is_hit(term, key, written, whole):
                    continue
                hit = TermHit(term=term.term, field=term.field, start=start, end=end)
                for position in positions:
                    if admits is None or admits(self.entries[position]):
                        found[position].append(hit)
            domain = self._domains.by_key.get(key)
            if domain is not None and names_domain(domain):
                hit = TermHit(term=domain, field="category", start=start, end=end)
                domain_hits.append((domain, hit))
        overlaps = self.headlines.overlaps(query, found)
        matches = [self._match(p, hits, overlaps.get(p)) for p, hits in found.items()]
        matches.sort(key=lambda match: (-match.score, match.source))
        near = self.headlines.nearest(
            query,
            NEAR_SHOWN,
            lambda p: p not in found and (admits is None or admits(self.entries[p])),
        )
        hits = [hit for match in matches for hit in match.hits]
        domains = [category for match in matches for category in match.categories]
        domains += [domain for domain, _ in domain_hits]
        forms = written_forms(query)
        return L0Hints(
            matches=tuple(matches[:MATCHES_SHOWN]),
            matches_total=len(matches),
            titles=_distinct(match.title for match in matches)[:HINTS_SHOWN],
            keywords=_distinct(h.term for h in hits if h.field == "keyword")[:HINTS_SHOWN],
            domains=_distinct(domains),
            entities=self._entities(matches, hits),
            near_matches=tuple(self._near(overlap, forms) for overlap in near),
            category_hits=tuple(dict.fromkeys(hit for _, hit in domain_hits)),
        )

    def overlap(self, query: str, source: str) -> float:
        """The graded overlap of the note's headlines with the query, 0 to 1."""
        position = self._position[source]
        found = self.headlines.overlaps(query, (position,)).get(position)
        return found.score if found else 0.0

    def notes_with(self, term: str) -> int:
        """Notes to which an author gave the term as a keyword, alias or entity."""
        return self._notes.get(term_key(term), 0)

    def _spans(self, query: str) -> Iterable[tuple[tuple[str, ...], int, int]]:
        """Every run of query tokens that is as long as some term, with its offsets."""
        found: list[Token] = tokens(query)
        keys = tuple(singular(token.text) for token in found)
        for length in self._lengths:
            for first in range(len(keys) - length + 1):
                key = keys[first : first + length]
                if key in self._terms or key in self._domains.by_key:
                    yield key, found[first].start, found[first + length - 1].end

    def _is_hit(self, term: _Term, key: tuple[str, ...], written: str, whole: str) -> bool:
        if STOP_WORDS.issuperset(fold(term.term).split()):  # `IT` is a name, `it` is not
            return term.term.isupper() and written == term.term
        if term.authored and self._notes[key] <= self._common:
            return True
        if whole == fold(term.term):
            return True
        return self.passes_floor(term.term)

    def passes_floor(self, term: str) -> bool:
        """True when the term is rare and long enough to match although no author chose it."""
        letters = sum(2 if not c.isascii() else 1 for c in term if c.isalnum())
        rarity = self.headlines.relative_rarity(content_words(term))
        return letters >= LENGTH_FLOOR and rarity >= RARITY_FLOOR

    def _match(self, position: int, hits: list[TermHit], overlap: Overlap | None) -> L0Match:
        entry = self.entries[position]
        kept = _longest(hits)
        words = {word for hit in kept for word in content_words(hit.term)}
        strength = self.headlines.relative_rarity(sorted(words))
        return L0Match(
            source=entry.source,
            title=entry.title,
            categories=entry.categories,
            hits=tuple(kept),
            score=round((overlap.score if overlap else 0.0) + self._hit_weight * strength, 6),
        )

    def _near(self, overlap: Overlap, written: Mapping[str, str]) -> NearMatch:
        entry = self.entries[overlap.position]
        words = ", ".join(f"'{written.get(word, word)}'" for word in overlap.words[:6])
        where = "title or keywords"
        if overlap.heading is not None and overlap.heading != entry.title:
            where = f"the heading '{cut(' '.join(overlap.heading.split()), LONGEST_HEADING)}'"
        return NearMatch(
            source=entry.source,
            title=entry.title,
            score=round(overlap.score, 6),
            reason=f"shares {words} with {where}, but no whole term stands in the query",
        )

    def _entities(self, matches: list[L0Match], hits: list[TermHit]) -> tuple[str, ...]:
        """Entities that stand in the query, then those that authors gave the matched notes."""
        named = [hit.term for hit in hits if hit.field == "entity"]
        for match in matches[:MATCHES_SHOWN]:
            named.extend(self.entries[self._position[match.source]].entities)
        return _distinct(named)[:HINTS_SHOWN]


def _longest(hits: list[TermHit]) -> list[TermHit]:
    """The hits of one note that lie in no longer hit of the same field, in query order."""
    kept: list[TermHit] = []
    furthest: dict[TermField, tuple[int, int]] = {}  # of the hits that begin no later
    for hit in sorted(dict.fromkeys(hits), key=lambda hit: (hit.start, -hit.end)):
        start, end = furthest.get(hit.field, (0, 0))
        if hit.end > end or (hit.start, hit.end) == (start, end):
            kept.append(hit)
            furthest[hit.field] = (hit.start, hit.end)
    return sorted(kept, key=lambda hit: (hit.start, hit.end, _FIELD_ORDER[hit.field], hit.term))


def _distinct(terms: Iterable[str]) -> tuple[str, ...]:
    """Terms that differ when folded, in order, as first written; blank ones left out."""
    seen: dict[str, str] = {}
    for term in terms:
        key = fold(term)
        if key:
            seen.setdefault(key, term)
    return tuple(seen.values())
