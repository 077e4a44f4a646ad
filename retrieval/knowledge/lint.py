"""What a curator could mend: the load's rows, and notes that will be hard to find by name."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator

from retrieval.knowledge.loading import Knowledge
from retrieval.knowledge.refusal import warn
from retrieval.text import content_words, fold, term_key
from retrieval.types import LoadIssue

Rule = Callable[[Knowledge], Iterator[LoadIssue]]

_COMMON_AT_LEAST = 3
_COMMON_SHARE = 0.02
_GENERIC_WORDS = """
    article document documentation docs draft faq general guide guidelines help howto index
    info information introduction knowledge misc miscellaneous note notes other overview page
    readme reference todo untitled various
"""
_GENERIC = frozenset(_GENERIC_WORDS.split())


def lint(knowledge: Knowledge) -> tuple[LoadIssue, ...]:
    """The load's issues, then one row for each finding of each rule, by source."""
    found = [issue for rule in RULES for issue in rule(knowledge)]
    found.sort(key=lambda issue: issue.source)
    return (*knowledge.report.issues, *found)


def missing_keywords(knowledge: Knowledge) -> Iterator[LoadIssue]:
    """Notes that only their title can name."""
    for entry in knowledge.entries:
        if not entry.keywords:
            yield warn(
                entry.source,
                "missing_keywords",
                "The note has no keywords.",
                "Add keywords: with the words that people use for it.",
            )


def missing_category(knowledge: Knowledge) -> Iterator[LoadIssue]:
    """Notes that no category filter can find."""
    for entry in knowledge.entries:
        if not entry.categories:
            yield warn(
                entry.source,
                "missing_category",
                "The note has no category.",
                "Add category: or put it into a folder.",
            )


def category_spelling(knowledge: Knowledge) -> Iterator[LoadIssue]:
    """Categories that differ from a more frequent one only in spelling."""
    spellings: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for entry in knowledge.entries:
        for category in entry.categories:
            spellings[term_key(category)][category] += 1
    for entry in knowledge.entries:
        for category in entry.categories:
            usual, times = spellings[term_key(category)].most_common(1)[0]
            if category != usual:
                yield warn(
                    entry.source,
                    "category_spelling",
                    f"The category '{category}' is mostly spelled '{usual}' ({times} notes).",
                    f"Write category: {usual}",
                )


def common_keyword(knowledge: Knowledge) -> Iterator[LoadIssue]:
    """Keywords that stand on so many notes that they name none; the row is at the first note."""
    limit = max(_COMMON_AT_LEAST, _COMMON_SHARE * len(knowledge.entries))
    uses: dict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
    for entry in knowledge.entries:
        for key, keyword in {term_key(word): word for word in entry.keywords}.items():
            uses[key].append((entry.source, keyword))
    for standing in uses.values():
        if len(standing) > limit:
            source, keyword = standing[0]
            yield warn(
                source,
                "common_keyword",
                f"The keyword '{keyword}' stands on {len(standing)} of "
                f"{len(knowledge.entries)} notes, so it tells them hardly apart.",
                "Use it as a category, or choose a narrower word.",
            )


def generic_keyword(knowledge: Knowledge) -> Iterator[LoadIssue]:
    """Keywords of stop words only, and words that fit any note."""
    for entry in knowledge.entries:
        for keyword in entry.keywords:
            empty = keyword.isascii() and not content_words(keyword)
            if empty or fold(keyword) in _GENERIC:
                yield warn(
                    entry.source,
                    "generic_keyword",
                    f"The keyword '{keyword}' fits almost any query.",
                    "Choose a word that only this subject has.",
                )


RULES: tuple[Rule, ...] = (
    missing_keywords,
    missing_category,
    category_spelling,
    common_keyword,
    generic_keyword,
)
