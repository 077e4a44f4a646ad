"""The one place where foreign text becomes HTML or a label: nothing in it stays active."""

import re
from collections.abc import Iterable, Sequence

from markupsafe import Markup, escape

Span = tuple[int, int]
"""First character and the one after the last."""

# What Streamlit's labels and captions read as markup: markdown, LaTeX, `:name:` and `:red[…]`.
_ACTIVE = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$:<>&])")
_BREAKS = re.compile(r"\s+")
# Characters that hide or reorder the text beside them.
_UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def plain_label(text: str, limit: int = 120) -> str:
    """`text` on one line, escaped for labels, options, captions and other markdown fields."""
    line = _BREAKS.sub(" ", visible(text)).strip()
    return _ACTIVE.sub(r"\\\1", clip(line, limit))


def plain_option(text: str, limit: int = 120) -> str:
    """`text` on one line, for the options of select boxes, which show markup as it stands."""
    return clip(_BREAKS.sub(" ", visible(text)).strip(), limit)


def clip(text: str, limit: int) -> str:
    """`text`, cut to `limit` characters with an ellipsis."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def visible(text: str) -> str:
    """`text` with a box in place of characters that hide or reorder others."""
    return _UNSEEN.sub("\u25a1", text)


def tag(name: str, *children: str | Markup, css: str = "", title: str = "") -> Markup:
    """An element; children that are no `Markup` are escaped."""
    attributes = Markup(' class="{}"').format(css) if css else Markup()
    if title:
        attributes += Markup(' title="{}"').format(visible(title))
    inner = Markup().join(_safe(child) for child in children)
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(name), attributes, inner)


def joined(parts: Iterable[str | Markup], separator: str | Markup = "") -> Markup:
    """The parts one after another, escaped where they are no `Markup`."""
    return _safe(separator).join(_safe(part) for part in parts)


def chip(text: str, *, tone: str = "", title: str = "") -> Markup:
    """A small label; tones are `accent`, `good`, `warn`, `bad`, or none."""
    return tag("span", text, css=f"kw-chip {tone}".strip(), title=title)


def highlight(text: str, spans: Sequence[Span]) -> Markup:
    """`text` escaped, with the spans marked; spans that overlap or touch become one.

    Spans beyond the text are cut to it.
    """
    parts: list[str | Markup] = []
    at = 0
    for start, end in merge_spans(spans, len(text)):
        parts += [text[at:start], tag("mark", text[start:end])]
        at = end
    return joined([*parts, text[at:]])


def merge_spans(spans: Iterable[Span], length: int) -> list[Span]:
    """The spans in order within 0..length, without overlaps and without empty ones."""
    merged: list[Span] = []
    for start, end in sorted((max(0, s), min(e, length)) for s, e in spans):
        if start >= end:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _safe(part: str | Markup) -> Markup:
    return part if isinstance(part, Markup) else escape(visible(part))
