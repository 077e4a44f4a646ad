"""Which notes and passages a filter admits, as masks in the order of the full text. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from retrieval.filtering import admits
from retrieval.text import fold
from retrieval.types import Condition, Entry

REMEMBERED = 64
"""Conditions whose mask is kept."""

Mask = NDArray[np.bool_]


class Admission:
    """The notes at the positions of `sources`, and which of them a filter admits."""

    def __init__(
        self,
        entries: Mapping[str, Entry],
        sources: Sequence[str],
        passage_sources: Iterable[str],
    ) -> None:
        """`passage_sources` names the note of each passage, in the order of the full text."""
        self._entries = [entries[source] for source in sources]
        self._position = {source: position for position, source in enumerate(sources)}
        self.note_of = np.fromiter(map(self._position.__getitem__, passage_sources), dtype=np.intp)
        """Passage → position of its note, shape (passages,)."""
        self._holding = lru_cache(maxsize=REMEMBERED)(self._hold)

    def position(self, source: str) -> int:
        """Where the note stands."""
        return self._position[source]

    def mask(
        self, category: str | None, conditions: Sequence[Condition], also: Iterable[str] = ()
    ) -> Mask:
        """True for each note within the category that satisfies every condition, and for `also`."""
        mask = np.ones(len(self._entries), dtype=np.bool_)
        if category is not None:
            mask[:] = False
            mask[self._members.get(fold(category), [])] = True
        for condition in conditions:
            mask &= self._holding(condition)
        mask[[self._position[source] for source in also]] = True
        return mask

    @cached_property
    def _members(self) -> Mapping[str, list[int]]:
        members: defaultdict[str, list[int]] = defaultdict(list)
        for position, entry in enumerate(self._entries):
            for category in {fold(own) for own in entry.categories}:
                members[category].append(position)
        return dict(members)

    def _hold(self, condition: Condition) -> Mask:
        held = (admits(entry, (condition,)) for entry in self._entries)
        return np.fromiter(held, dtype=np.bool_, count=len(self._entries))
