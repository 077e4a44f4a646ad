"""Which words of a query stand where: in the query itself, and in the text of a note."""

from collections.abc import Iterable
from itertools import pairwise

from retrieval.text import STOP_WORDS, content_words, singular, stem, term_key, tokens
from retrieval.types import EvidenceBlock, LookupResult
from workbench.presenters.markup import Span


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
    words = [singular(token.text) for token in found]
    for key in _terms(block):
        first = key[0]
        for at, word in enumerate(words):
            if word == first and tuple(words[at : at + len(key)]) == key:
                spans.append((found[at].start, found[at + len(key) - 1].end))
    return spans


def _terms(block: EvidenceBlock) -> Iterable[tuple[str, ...]]:
    terms = {term_key(reason.term) for reason in block.hit_reasons if reason.term}
    return (key for key in terms if key)
