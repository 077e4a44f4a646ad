"""Which words of a query stand where: in the query itself, and in the text of a note."""

from collections.abc import Container, Iterable, Sequence
from itertools import pairwise

from retrieval.text import STOP_WORDS, Token, content_words, singular, stem, term_key, tokens
from retrieval.types import EvidenceBlock, LookupResult
from workbench.presenters.markup import Span

HYPHENS = ("-", "\u2010", "\u2011")


def query_spans(result: LookupResult) -> list[Span]:
    """Where the terms of matched notes, and names of categories, stand in the query."""
    hints = result.l0_hints
    hits = [hit for match in hints.matches for hit in match.hits]
    return [(hit.start, hit.end) for hit in (*hits, *hints.category_hits)]


def text_spans(text: str, query: str, block: EvidenceBlock) -> list[Span]:
    """Where `text` holds words of the query, or terms of the note that stand in the query.

    Words compare by their stem, as full text does; stop words are left out.
    """
    wanted = set(content_words(query))
    found = tokens(text)
    spans = [
        (token.start, token.end)
        for token in found
        if token.text not in STOP_WORDS and stem(token.text) in wanted
    ]
    # Scripts without blanks: content words are pairs of neighbouring characters.
    spans += [
        (first.start, second.end)
        for first, second in pairwise(found)
        if first.end == second.start and first.text + second.text in wanted
    ]
    spans += _compounds(text, found, query, wanted)
    words = [singular(token.text) for token in found]
    for key in _terms(block):
        first = key[0]
        for at, word in enumerate(words):
            if word == first and tuple(words[at : at + len(key)]) == key:
                spans.append((found[at].start, found[at + len(key) - 1].end))
    return spans


def _compounds(
    text: str, found: Sequence[Token], query: str, wanted: Container[str]
) -> Iterable[Span]:
    """Words that a hyphen joins and that both stand in the query, though one is a stop word."""
    asked = {stem(token.text) for token in tokens(query)}
    for first, second in pairwise(found):
        pair = (stem(first.text), stem(second.text))
        joined = text[first.end : second.start] in HYPHENS
        if joined and asked.issuperset(pair) and any(word in wanted for word in pair):
            yield first.start, second.end


def _terms(block: EvidenceBlock) -> Iterable[tuple[str, ...]]:
    terms = {term_key(reason.term) for reason in block.hit_reasons if reason.term}
    return (key for key in terms if key)
