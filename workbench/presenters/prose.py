"""Messages as they are written: what stands between backticks is a name, shown as code."""

import re

from markupsafe import Markup

from workbench.presenters.markup import clip, joined, plain_label, tag

_CODE = re.compile(r"(?<!`)`([^`]*[^`\s][^`]*)`(?!`)")
_BREAKS = re.compile(r"\s+")


def prose(text: str) -> Markup:
    """`text` escaped, with code in place of what stands between backticks."""
    return joined([tag("code", part) if code else part for part, code in _parts(text)])


def prose_label(text: str, limit: int = 600) -> str:
    """`text` on one line for markdown fields: escaped, but for code between backticks."""
    line = clip(_BREAKS.sub(" ", text).strip(), limit)
    return "".join(
        f"`{part}`" if code else _escaped(part, limit) for part, code in _parts(line) if part
    )


def _escaped(part: str, limit: int) -> str:
    """As `plain_label`, with the blanks at both ends."""
    before, after = (" " if blank else "" for blank in (part[0] == " ", part[-1] == " "))
    inner = plain_label(part, limit)
    return f"{before}{inner}{after}" if inner else " "


def _parts(text: str) -> list[tuple[str, bool]]:
    """The pieces in order; true for code."""
    return [(part, bool(at % 2)) for at, part in enumerate(_CODE.split(text))]
