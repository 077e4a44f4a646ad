"""The action `chunk`: the passages of notes."""

import re
from collections.abc import Iterator
from itertools import groupby

from retrieval.knowledge import Knowledge
from retrieval.types import Passage
from tests.cases.case import Expected, equals, holds, lacks, problems


def judge_chunk(knowledge: Knowledge, expected: Expected) -> list[str]:
    """What does not hold of the passages of one file, or of each in `files`."""
    if files := expected.get("files"):
        by_source = {entry.source: entry for entry in knowledge.entries}
        return [
            line
            for source, wanted in files.items()
            for line in problems(CHUNK, by_source[source].passages, wanted, f"{source} ")
        ]
    passages = tuple(passage for entry in knowledge.entries for passage in entry.passages)
    return problems(CHUNK, passages, expected)


def _trails(passages: tuple[Passage, ...]) -> list[list[str]]:
    return [list(trail) for trail, _ in groupby(passage.breadcrumb for passage in passages)]


def _texts(passages: tuple[Passage, ...]) -> str:
    return "\n".join(passage.text for passage in passages)


def _partial_rows(passages: tuple[Passage, ...]) -> Iterator[str]:
    for passage in passages:
        rows = [line for line in passage.text.split("\n") if line.lstrip().startswith("|")]
        yield from (row for row in rows if row.count("|") != rows[0].count("|"))


CHUNK = {
    "breadcrumbs": equals(_trails),
    "breadcrumbs_relative": lambda found, _: (
        min(len(p.breadcrumb) for p in found) == 1 or _trails(found)
    ),
    "no_breadcrumb_contains": lacks(lambda found: str(_trails(found))),
    "all_text_kept": holds(_texts),
    "not_in_any_chunk": lacks(_texts),
    "min_chunks": lambda found, least: len(found) >= least or len(found),
    "max_chunk_chars": lambda found, most: (
        max(len(p.text) for p in found) <= most or max(len(p.text) for p in found)
    ),
    "every_chunk_with": lambda found, rules: (
        [
            passage.text
            for passage in found
            for rule in rules
            if re.search(rule["regex"], passage.text) and rule["also"] not in passage.text
        ]
        or True
    ),
    "no_partial_rows": lambda found, _: list(_partial_rows(found)) or True,
    "chunk_ids_unique": lambda found, _: len({p.id for p in found}) == len(found),
    "breadcrumb_is_list": lambda found, _: all(isinstance(p.breadcrumb, tuple) for p in found),
}
