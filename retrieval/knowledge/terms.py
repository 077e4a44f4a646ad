"""Terms out of frontmatter values and out of text: what a note can be found by, by name."""

import re
from collections.abc import Iterable, Iterator

from retrieval.text import STOP_WORDS, fold, term_key
from retrieval.types import Json

_SEPARATOR = re.compile(r"[,，、;；\n]")
_WIKI_LINK = re.compile(r"\[\[([^\[\]|]+)(?:\|[^\[\]]*)?\]\]")
_TAG_MARK = re.compile(r"#(?=[^\W\d])")
_NAME_KEYS = ("name", "label", "title", "value", "term")

_NAME = re.compile(
    r"""(?<![A-Za-z0-9_.-])(?:
        [A-Z]{2,6}-\d{2,}                                          # DSP-4031
      | [A-Za-z_][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+                    # snake_case
      | [A-Za-z_][A-Za-z0-9_]+(?:\.[A-Za-z_][A-Za-z0-9_]+)+        # dotted.name
      | [A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+ | [a-z]+(?:[A-Z][a-z0-9]+)+   # CamelCase, lowerCamel
      | [A-Z](?:[A-Z0-9]){1,5}(?=s?(?![A-Za-z0-9_]))               # acronym, also in the plural
    )(?=s?(?![A-Za-z0-9_]))""",
    re.VERBOSE,
)
_LETTERS = re.compile(r"[A-Za-z]")


def flatten(value: Json, *, split: bool = False) -> Iterator[str | None]:
    """The texts of a frontmatter value in order; None for each part without one clear reading.

    Lists are flattened, wiki links give their page. A mapping gives its name, its only value, or
    its keys when it has no values. With `split`, a text that is the whole value is cut at commas.
    """
    if isinstance(value, str):
        link = _WIKI_LINK.fullmatch(value.strip())
        pieces = [link[1]] if link else _SEPARATOR.split(value) if split else [value]
        for piece in pieces:
            link = _WIKI_LINK.fullmatch(piece.strip())
            yield " ".join((link[1] if link else piece).split())
    elif isinstance(value, list):
        for item in value:
            yield from flatten(item)
    elif isinstance(value, dict):
        named = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
        if len(value) == 1 and any(item is not None for item in value.values()):
            yield from flatten(next(iter(value.values())))
        elif named is not None:
            yield from flatten(named)
        elif all(item is None for item in value.values()):
            yield from value
        else:
            yield None


def distinct(texts: Iterable[str | None]) -> tuple[str, ...]:
    """The texts that hold something to match, as written, without later ones that fold alike."""
    found: dict[str, str] = {}
    for text in texts:
        if text and term_key(text):
            found.setdefault(fold(text), text)
    return tuple(found.values())


def without_tag_mark(text: str | None) -> str | None:
    """The text without the # that some editors write before a tag."""
    return _TAG_MARK.sub("", text, count=1) if text and text.startswith("#") else text


def derive_entities(texts: Iterable[str], named: Iterable[str]) -> tuple[str, ...]:
    """Acronyms, code identifiers and CamelCase names in the texts that are not yet `named`.

    A text without any small letter gives no acronyms: there, capitals say nothing.
    """
    known = {term_key(name) for name in named}
    found: dict[tuple[str, ...], str] = {}
    for text in texts:
        shouted = text.upper() == text and len(_LETTERS.findall(text)) > 6
        for match in _NAME.finditer(text):
            name = match[0]
            letters = len(_LETTERS.findall(name))
            if name.lower() in STOP_WORDS or letters == 0 or (shouted and letters == len(name)):
                continue
            key = term_key(name)
            if key and key not in known:
                found.setdefault(key, name)
    return tuple(found.values())
