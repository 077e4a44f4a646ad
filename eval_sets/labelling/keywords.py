"""A note's text with other keywords in its frontmatter."""

from collections.abc import Iterable, Mapping

import yaml

from retrieval.knowledge import read_frontmatter
from retrieval.knowledge.terms import flatten, without_tag_mark
from retrieval.settings import KnowledgeSettings
from retrieval.text import fold
from retrieval.types import Json


def with_keywords(
    text: str,
    source: str,
    settings: KnowledgeSettings,
    *,
    add: Iterable[str] = (),
    remove: Iterable[str] = (),
) -> str:
    """The text with these keywords added and removed; the body stays as it is.

    Made to be looked up and not to be saved: the frontmatter is written anew, without its comments
    and its order of quotes. Keywords compare folded; one that is there is not added again. They
    go into the first of the keyword keys that the note has, else into the first of the settings.

    Raises `NoteRefused` for frontmatter that cannot be read.
    """
    front = read_frontmatter(text, source)
    unwanted = {fold(term) for term in remove}
    keys = [key for key in front.fields if fold(key) in {fold(name) for name in settings.keywords}]
    fields = dict(front.fields)
    for key in keys:
        fields[key] = [term for term in _terms(fields[key]) if fold(term) not in unwanted]
    present = {fold(term) for key in keys for term in fields[key]}
    new = [term for term in dict.fromkeys(add) if fold(term) not in present]
    if new:
        key = keys[0] if keys else settings.keywords[0]
        fields[key] = [*fields.get(key, []), *new]
    return f"---\n{_dump(fields)}---\n{front.body}"


def _dump(fields: Mapping[str, Json]) -> str:
    return yaml.safe_dump(dict(fields), allow_unicode=True, sort_keys=False, width=10_000)


def _terms(value: Json) -> list[str]:
    """The keywords of a field, as the lookup reads them."""
    return [term for text in flatten(value, split=True) if (term := without_tag_mark(text))]
