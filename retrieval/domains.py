"""Category names as words of a query: which of them say something about a note's category."""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence

from retrieval.filtering import is_within
from retrieval.text import fold, term_key
from retrieval.types import Entry


class DomainNames:
    """The names of all categories, by the key that a term of a query has."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries
        self._members: defaultdict[str, list[Entry]] = defaultdict(list)
        self._specific: dict[str, bool] = {}
        names: dict[tuple[str, ...], str] = {}
        for entry in entries:
            for category in entry.categories:
                names.setdefault(term_key(category), category)
            for folded in {fold(category) for category in entry.categories}:
                self._members[folded].append(entry)
        names.pop((), None)
        self.by_key = names
        """Key of the name → the name as the first note writes it."""

    def counts(self, domain: str, admits: Callable[[Entry], bool] | None) -> bool:
        """True when the name, standing in a query, points to the category, and a note of it is
        admitted.

        It does when most of the notes that use the name belong to the category: `data` or `access`
        stand in ordinary sentences of every domain, `catering` does not.
        """
        if domain not in self._specific:
            self._specific[domain] = self._is_specific(domain)
        if not self._specific[domain]:
            return False
        return admits is None or any(map(admits, self._members.get(fold(domain), ())))

    def _is_specific(self, domain: str) -> bool:
        pattern = r"[\s_-]+".join(map(re.escape, fold(domain).split()))
        if pattern.isascii():
            pattern = rf"(?<!\w){pattern}(?!\w)"
        users = [entry for entry in self._entries if _mentions(entry, pattern)]
        inside = sum(is_within(entry, domain) for entry in users)
        members = len(self._members.get(fold(domain), ()))
        # Most users belong to it, and at least twice the share that chance would give.
        least = max(0.5, 2 * members / len(self._entries))
        return inside >= least * len(users)


def _mentions(entry: Entry, pattern: str) -> bool:
    texts = (entry.title, *entry.keywords, *(passage.text for passage in entry.passages))
    return any(re.search(pattern, text, re.IGNORECASE) for text in texts)
