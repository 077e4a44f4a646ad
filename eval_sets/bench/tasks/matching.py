"""L0 on few and on many entries, with as many matches."""

import random
import time
from statistics import median
from typing import Any

from eval_sets.bench.synthetic import WORDS
from retrieval.hints import L0Index
from retrieval.types import Entry

MATCHES = 10
"""Entries that one query matches, however many there are."""
_WARM_UP = 20


def match(entries: int, queries: int, repeat: int) -> dict[str, Any]:
    """Median milliseconds of a query, repetition by repetition.

    `constant_matches`: its words stand on ten entries and nowhere else. `common_word`: one more
    word stands in the title of every tenth entry, so that what may be near grows as well.
    """
    index = L0Index(_make_entries(entries))
    chance = random.Random(5)
    topics = [chance.randrange(entries // MATCHES) for _ in range(queries)]
    kinds = {
        "constant_matches": [f"how is the topic{topic} subject{topic} done" for topic in topics],
        "common_word": [f"how is the topic{topic} subject{topic} guide done" for topic in topics],
    }
    times: list[dict[str, float]] = []
    for repetition in range(-1, repeat):
        found: dict[str, float] = {}
        for name, asked in kinds.items():
            taken = []
            for query in asked if repetition >= 0 else asked[:_WARM_UP]:
                started = time.perf_counter()
                hints = index.match(query)
                taken.append(time.perf_counter() - started)
                if hints.matches_total != MATCHES:
                    raise AssertionError(f"{hints.matches_total} matches of {query!r}")
            found[name] = median(taken) * 1000
        if repetition >= 0:
            times.append(found)
    return {"entries": entries, "milliseconds": times}


def _make_entries(count: int) -> list[Entry]:
    """Entries in twenty categories; ten at a time have the same keyword, that no other has."""
    chance = random.Random(11)
    return [
        Entry(
            source=f"area{number % 20}/note{number}.md",
            title=f"{chance.choice(WORDS)} {chance.choice(WORDS)} entry{number}"
            + (" guide" if number % 10 == 0 else ""),
            keywords=(f"topic{number // MATCHES} subject{number // MATCHES}",),
            categories=(f"area{number % 20}",),
        )
        for number in range(count)
    ]
