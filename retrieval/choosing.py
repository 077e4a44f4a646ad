"""Which passage of a note speaks of a query, where L1 did not say. Pure."""

import math
from collections.abc import Callable, Mapping, Sequence

from retrieval.text import content_words
from retrieval.types import Passage

K1 = 1.2
B = 0.75


def choose_passage(
    passages: Sequence[Passage], rarities: Mapping[str, float], rarity: Callable[[str], float]
) -> Passage | None:
    """The passage that holds the query's rare words most densely, or stands below a heading made of
    them; the first of equal ones, None without any.

    `rarities` has the query's words; `rarity` weighs those of headings. The score is BM25 among the
    note's own passages, as a share of the most that the query's words could give, plus the cosine
    of the query with the passage's own heading. Words are counted as parts of text, so a stem
    counts in each of its forms: reading every passage into words would cost more than all of L0.
    """
    if not passages:
        return None
    texts = [" ".join((*p.breadcrumb, p.text)).casefold() for p in passages]
    average = sum(map(len, texts)) / len(texts)
    total = sum(rarities.values()) or 1.0

    def score(place: int) -> float:
        norm = K1 * (1 - B + B * len(texts[place]) / average)
        counts = ((weight, texts[place].count(word)) for word, weight in rarities.items())
        worded = sum(weight * count / (count + norm) for weight, count in counts)
        heading = passages[place].breadcrumb[-1:]
        return worded / total + _cosine(rarities, " ".join(heading), rarity)

    return passages[max(range(len(passages)), key=lambda place: (score(place), -place))]


def _cosine(rarities: Mapping[str, float], heading: str, rarity: Callable[[str], float]) -> float:
    own = {word: rarity(word) for word in content_words(heading)}
    lengths = math.hypot(*own.values()) * math.hypot(*rarities.values())
    shared = sum(weight**2 for word, weight in own.items() if word in rarities)
    return shared / lengths if lengths else 0.0
