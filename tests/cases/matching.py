"""The action `match`: L0 alone."""

from typing import Any

from retrieval.hints import L0Index
from retrieval.knowledge import Knowledge, lint
from retrieval.text import fold
from retrieval.types import L0Hints
from tests.cases.case import (
    Expected,
    UnknownCheck,
    equals,
    excludes,
    includes,
    noted,
    problems,
    says,
)


def judge_match(knowledge: Knowledge, expected: Expected) -> list[str]:
    """What does not hold of L0."""
    lines: list[str] = []
    index = L0Index(knowledge.entries)
    for key, wanted in expected.items():
        if key == "checks":
            for check in wanted:
                query = check["query"]
                rest = {name: value for name, value in check.items() if name != "query"}
                lines += problems(MATCH, (query, index.match(query)), rest, f"{query!r} ")
        elif key == "lint_warnings_mention":
            text = "\n".join(map(str, lint(knowledge)))
            lines += problems({key: says(str)}, text, {key: wanted})
        elif key != "does_not_raise":
            raise UnknownCheck(key)
    return lines


def _terms(found: tuple[str, L0Hints]) -> list[str]:
    return [fold(h.term) for m in found[1].matches for h in m.hits if h.field == "keyword"]


def _keywords(wanted: Any) -> list[str]:
    return [fold(word) for word in ([wanted] if isinstance(wanted, str) else wanted)]


def _written(found: tuple[str, L0Hints]) -> list[str]:
    query, hints = found
    return [query[hit.start : hit.end] for match in hints.matches for hit in match.hits]


def _matched(found: tuple[str, L0Hints]) -> list[str]:
    return [m.source for m in found[1].matches]


MATCH = {
    "must_match_keyword": lambda f, wanted: includes(_terms)(f, _keywords(wanted)),
    "must_not_match_keyword": lambda f, wanted: excludes(_terms)(f, _keywords(wanted)),
    "must_include_source": includes(_matched),
    "must_not_include_source": excludes(_matched),
    "no_match": lambda f, wanted: (not f[1].matches and not f[1].category_hits) == wanted or f[1],
    "top_source": equals(lambda f: next(iter(_matched(f)), None)),
    "domains": equals(lambda f: f[1].domains),
    "matched_text": includes(_written),
    "must_not_raise": noted,
}
