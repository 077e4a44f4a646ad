"""Rules about notes that say the same: copies, and notes that share most of their words.

Near copies are found by MinHash over word shingles with banding (Broder 1997, "On the resemblance
and containment of documents"; Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets", 3.4),
and each pair is then measured exactly.
"""

import re
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from retrieval.knowledge.lint.rule import Finding, Notes
from retrieval.text import tokens
from retrieval.types import Entry

SHINGLE = 4
"""Words of a shingle."""
LEAST_WORDS = 30
"""Notes with fewer words are not compared: templates of a line are alike without being copies."""
RESEMBLANCE = 0.8
"""Jaccard resemblance of shingles from which two notes are near copies."""
_ASCII_WORD = re.compile("[a-z0-9]+")
_BANDS, _ROWS = 16, 5
# A bucket so full is boilerplate; its notes are compared with its first only, to stay linear.
_BUCKET = 30
_PRIME = np.uint64((1 << 31) - 1)
_SHIFT = np.uint64(32)


def find_copies(notes: Notes) -> Iterator[Finding]:
    """Notes whose text is the same, word for word, as that of an earlier one."""
    for first, copy in _copies(notes):
        yield Finding(
            rule="duplicate_note",
            severity="warning",
            source=copy,
            message=f"Its text is that of {first}, word for word.",
            next_action="Delete one, and add its keywords to the other.",
            data={"sources": [first, copy], "resemblance": 1.0},
        )


def find_near_copies(notes: Notes) -> Iterator[Finding]:
    """Notes that share most of their text with an earlier one: answers hold both, or the wrong."""
    copies = {copy for _, copy in _copies(notes)}
    entries = [entry for entry in notes.knowledge.entries if entry.source not in copies]
    shingles = {entry.source: _shingles(entry) for entry in entries}
    sources = [source for source, found in shingles.items() if len(found)]
    for first, second in _candidates(sources, [shingles[source] for source in sources]):
        a, b = shingles[first], shingles[second]
        shared = len(np.intersect1d(a, b, assume_unique=True))
        resemblance = shared / (len(a) + len(b) - shared)
        if resemblance >= RESEMBLANCE:
            yield Finding(
                rule="near_duplicate",
                severity="info",
                source=second,
                message=f"It shares {resemblance:.0%} of its text with {first}.",
                next_action="Merge the two, or say in each what only it is about.",
                data={"sources": [first, second], "resemblance": round(resemblance, 3)},
            )


def _words(entry: Entry) -> list[str]:
    text = "\n".join(passage.text for passage in entry.passages)
    if text.isascii():  # several times faster, and most notes are
        return _ASCII_WORD.findall(text.lower())
    return [token.text for token in tokens(text)]


def _copies(notes: Notes) -> Iterator[tuple[str, str]]:
    first: dict[str, str] = {}
    for entry in notes.knowledge.entries:
        text = " ".join(" ".join(passage.text.split()) for passage in entry.passages)
        if len(text.split()) < LEAST_WORDS:
            continue
        original = first.setdefault(text, entry.source)
        if original != entry.source:
            yield original, entry.source


def _shingles(entry: Entry) -> NDArray[np.uint64]:
    """The distinct shingles' hashes, sorted; empty for a note with too few words."""
    words = _words(entry)
    if len(words) < LEAST_WORDS:
        return np.empty(0, np.uint64)
    # crc32 and not hash(): the same findings in every run.
    codes = np.fromiter((zlib.crc32(word.encode()) for word in words), np.uint64, len(words))
    mixed = np.zeros(len(codes) - SHINGLE + 1, np.uint64)
    for offset in range(SHINGLE):
        mixed = (mixed * np.uint64(1_000_003) + codes[offset : offset + len(mixed)]) % _PRIME
    return np.unique(mixed)


def _candidates(
    sources: Sequence[str], shingles: Sequence[NDArray[np.uint64]]
) -> list[tuple[str, str]]:
    """Pairs of sources that share a band of their signatures, in order."""
    # Multiply-shift hashing (Dietzfelbinger et al. 1997): the product wraps at 64 bits on purpose.
    random = np.random.default_rng(7)
    factors = random.integers(1, 1 << 62, (_BANDS * _ROWS, 1), dtype=np.uint64) * np.uint64(2) + 1
    offsets = random.integers(0, 1 << 62, (_BANDS * _ROWS, 1), dtype=np.uint64)
    buckets: defaultdict[tuple[int, bytes], list[int]] = defaultdict(list)
    for position, own in enumerate(shingles):
        signature = np.min((own * factors + offsets) >> _SHIFT, axis=1).reshape(_BANDS, _ROWS)
        for band, rows in enumerate(signature):
            buckets[band, rows.tobytes()].append(position)
    pairs: set[tuple[int, int]] = set()
    for positions in buckets.values():
        if len(positions) <= _BUCKET:
            pairs.update(combinations(positions, 2))
        else:
            pairs.update((positions[0], other) for other in positions[1:])
    return [(sources[a], sources[b]) for a, b in sorted(pairs)]
