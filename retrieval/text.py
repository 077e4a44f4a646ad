"""Text as the lookup compares it: folding, tokens with offsets, content words, scripts.

Folding is NFKC + casefold, so that width, case and accent form do not count; hyphen, underscore
and blank are equal. All functions are pure and accept any string.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

_BLANKS = re.compile(r"[\s\-_\u2010-\u2015\u2212]+")
_ASCII_TOKEN = re.compile(r"[a-z0-9]+|[^\sa-z0-9\-_]")
_ASCII_WORD = re.compile(r"[a-z0-9]+")
# Between blanks, which end every word and stand with their own combining marks outside of it.
_ASCII_STRETCH = re.compile(r"(?:(?<=[ \n])|\A)[\x00-\x7f]+(?=[ \n]|\Z)")
# Scripts written without blanks between words, and Hangul, whose particles and compounds stand
# glued to a word: each character is a token of its own, which makes a keyword in them match as a
# substring and lets Latin words stand glued to them.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]"
)
_VOICED_MARKS = "\uff9e\uff9f"
_EDGE_PUNCTUATION = frozenset("()[]{}<>\"'`,;:!?…。，、；：！？（）「」『』【】《》")

_STOP_WORDS_TEXT = """
    a about after all also am an and any are as at be because been before being but by can
    cannot could did do does doing done for from get gets got had has have having he her here
    hers him his how i if in into is it its just let may me might mine must my no nor not of off
    on once one only or our ours out over own please shall she should so some such than that the
    their theirs them then there these they this those through to too under until up upon us
    very was we were what when where whether which while who whom whose why will with within
    without would yes you your yours
"""
STOP_WORDS = frozenset(_STOP_WORDS_TEXT.split())


@dataclass(frozen=True, slots=True)
class Token:
    """A folded word, a character of an unspaced script, or a symbol, and where it stands."""

    text: str
    start: int
    end: int


def fold(text: str) -> str:
    """The text for comparing names: NFKC, casefold; blanks, hyphens, underscores as one blank."""
    if text.isascii():  # the same as below
        return " ".join(text.lower().replace("-", " ").replace("_", " ").split())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return _BLANKS.sub(" ", folded).strip()


def tokens(text: str) -> list[Token]:
    """The text's tokens in order, with offsets into the text as given."""
    if text.isascii():
        return _ascii_tokens(text, 0)
    found: list[Token] = []
    done = 0
    for stretch in _ASCII_STRETCH.finditer(text):
        found += _any_tokens(text[done : stretch.start()], done)
        found += _ascii_tokens(stretch[0], stretch.start())
        done = stretch.end()
    return found + _any_tokens(text[done:], done)


def _ascii_tokens(text: str, offset: int) -> list[Token]:
    return [
        Token(m[0], offset + m.start(), offset + m.end())
        for m in _ASCII_TOKEN.finditer(text.lower())
    ]


def _any_tokens(text: str, offset: int) -> list[Token]:
    found: list[Token] = []
    word, word_start, word_end = "", 0, 0
    for piece, start, end in _clusters(text, offset):
        for char in piece:
            if _is_word(char) and not _UNSPACED.match(char):
                if not word:
                    word_start = start
                word, word_end = word + char, end
                continue
            if word:
                found.append(Token(word, word_start, word_end))
                word = ""
            if not _BLANKS.match(char):
                found.append(Token("'" if char in "‘’" else char, start, end))
    if word:
        found.append(Token(word, word_start, word_end))
    return found


def _clusters(text: str, offset: int) -> Iterator[tuple[str, int, int]]:
    """Each base character with its combining marks, folded; NFKC works on the cluster."""
    start = 0
    for position in range(1, len(text) + 1):
        if position < len(text) and _continues(text[position]):
            continue
        cluster = "".join(c for c in text[start:position] if unicodedata.category(c) != "Cf")
        cluster = cluster.replace("\ufe0f", "").replace("\ufe0e", "")
        piece = unicodedata.normalize("NFKC", cluster).casefold()
        yield unicodedata.normalize("NFKC", piece), offset + start, offset + position
        start = position


def _continues(char: str) -> bool:
    return (
        unicodedata.combining(char) != 0
        or char in _VOICED_MARKS
        or "\u1160" <= char <= "\u11ff"  # Hangul vowels and finals compose with the lead before
    )


def _is_word(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char)[0] == "M"


def term_key(term: str) -> tuple[str, ...]:
    """What a title, keyword or entity is looked up by: its token keys without edge punctuation.

    Empty for a term that holds nothing to match, such as `" - "` or `"?!"`.
    """
    keys = [token.text for token in tokens(term)]
    while keys and keys[0] in _EDGE_PUNCTUATION:
        keys.pop(0)
    while keys and keys[-1] in _EDGE_PUNCTUATION:
        keys.pop()
    if not any(key[0].isalnum() or unicodedata.category(key[0]) == "So" for key in keys):
        return ()
    return tuple(singular(key) for key in keys)


def is_blank(text: str) -> bool:
    """True when the text holds no letter, digit or pictograph: nothing that could be looked up."""
    return not term_key(text)


@lru_cache(maxsize=65536)
def singular(word: str) -> str:
    """A key that is equal for a word's singular and regular plural (-s, -es, -y/-ies).

    It is a key, not a word: `caches` and `cache` both give `cach`.
    """
    if len(word) < 3 or not word.isalpha() or not word.isascii():
        return word
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ses", "xes", "zes", "ches", "shes")):
        word = word[:-2]
    elif (
        word.endswith("s") and not word.endswith("ss") and (len(word) > 3 or word[1] not in "aeiou")
    ):
        word = word[:-1]
    if len(word) > 3 and word.endswith("ie"):
        return word[:-2] + "y"
    if len(word) > 3 and word.endswith(("se", "xe", "ze", "che", "she")):
        word = word[:-1]
    if len(word) > 3 and word.endswith(("us", "is")):
        word = word[:-1]  # as `status` did above, which nothing tells from `menus`
    return word


def content_words(text: str) -> list[str]:
    """The words that carry meaning, stemmed, in order, for weighting and BM25.

    English stop words are left out; unspaced scripts give overlapping pairs of characters
    (a single one stands for itself). Symbols are left out.
    """
    if text.isascii():  # the same as below, without offsets
        return [stem(w) for w in _ASCII_WORD.findall(text.lower()) if w not in STOP_WORDS]
    words: list[str] = []
    run: list[str] = []
    previous_end = -1
    for token in tokens(text):
        if _UNSPACED.match(token.text):
            if run and token.start != previous_end:
                words.extend(_pairs(run))
                run = []
            run.append(token.text)
            previous_end = token.end
            continue
        if run:
            words.extend(_pairs(run))
            run = []
        if token.text[0].isalnum() and token.text not in STOP_WORDS:
            words.append(stem(token.text))
    words.extend(_pairs(run))
    return words


def written_forms(text: str) -> dict[str, str]:
    """Content word → how the text itself first writes it: to show people what a stem stands for."""
    written: dict[str, str] = {}
    for token in tokens(text):
        written.setdefault(stem(token.text), text[token.start : token.end])
    return written


def _pairs(run: list[str]) -> list[str]:
    return run if len(run) == 1 else [a + b for a, b in pairwise(run)]


@lru_cache(maxsize=262144)
def stem(word: str) -> str:
    """The word's Snowball stem (Porter 2, English) when it is in Latin letters, else itself."""
    return _stemmer().stemWord(word) if word.isalpha() else word


@lru_cache(maxsize=1)
def _stemmer():  # type: ignore[no-untyped-def]
    import Stemmer  # on use: the module is not needed to fold or to match terms

    return Stemmer.Stemmer("english")


def script_shares(text: str) -> dict[str, float]:
    """Share of the text's letters by script, such as `{"LATIN": 0.4, "CJK": 0.6}`.

    The name is the first word of the letter's Unicode name. Empty for a text without letters.
    """
    counts = Counter(
        unicodedata.name(char, "UNKNOWN").split()[0].split("-")[0]
        for char in text
        if char.isalpha()
    )
    total = sum(counts.values())
    return {script: count / total for script, count in counts.items()}
