"""Text of notes made harmless for its fence: what looks like the tag `note` is escaped.

Signs compare as people see them: compatibility forms by NFKC, look-alikes of other scripts by the
short table below. Characters that nobody sees are left out before that.
"""

import re
import unicodedata
from functools import lru_cache

from retrieval.suspicion import HIDDEN

# Of the confusables of Unicode's UTS #39 those of the six signs that a fence is made of.
_LOOKALIKES = {
    "<": "\u02c2\u1438\u16b2\u2039\u226e\u227a\u2329\u276c\u276e\u2770\u27e8\u29fc\u3008\U0001d236",
    "/": "\u1735\u2041\u2044\u2215\u2216\u2571\u27cb\u29f5\u29f8\u2cc6\u3033\u30ce\u31d3\u4e3f",
    "n": "\u0274\u03b7\u03bd\u043f\u0438\u0578\u057c\u1d28\u4e48",
    "o": "\u03bf\u03c3\u043e\u0585\u05e1\u0966\u0ed0\u1d0f\u1d11\u2c9f\u3007\u00f8",
    "t": "\u03c4\u0442\u1d1b\u2ca7\u01ad\u0167",
    "e": "\u03b5\u0435\u0454\u04bd\u1d07\u212e\u0259\u0247",
}
_PLAIN = {sign: plain for plain, signs in _LOOKALIKES.items() for sign in signs}
_MARKS = "[\u0300-\u036f\u20d0-\u20ff\ufffd]*"
_FENCE = re.compile(
    rf"<(?=(?:[\s/\\]|{_MARKS[:-1]})*" + "".join(letter + _MARKS for letter in "note") + r"(?!\w))"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


def quote(text: str) -> str:
    """The text with nothing in it that could be taken for the fence, or that cannot be seen."""
    visible = HIDDEN.sub("", _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text))
    clean = _CONTROL.sub(" ", visible)
    # Sign for sign, so that a place in the one is the same place in the other.
    seen = clean.lower() if clean.isascii() else "".join(map(_see, clean))
    parts, end = list[str](), 0
    for found in _FENCE.finditer(seen):
        parts += [clean[end : found.start()], "&lt;"]
        end = found.end()
    return "".join([*parts, clean[end:]])


@lru_cache(maxsize=4096)
def _see(sign: str) -> str:
    """The one sign that this one looks like: folded, and plain where the fence uses it."""
    for form in (sign, unicodedata.normalize("NFKD", sign)[:1].casefold(), sign.casefold()):
        if form in _PLAIN:
            return _PLAIN[form]
    form = unicodedata.normalize("NFKD", sign).casefold()
    base = "".join(part for part in form if not unicodedata.combining(part))
    return base if len(base) == 1 else sign
