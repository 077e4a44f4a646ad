"""What a page of the test runner shows, as text, and what in its HTML could act."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

from streamlit.testing.v1 import AppTest

_SHOWN = ("title", "header", "subheader", "caption", "markdown", "text", "code", "error", "warning")


@dataclass
class Reading(HTMLParser):
    """The text of some HTML, and the parts of it that a browser would execute."""

    pieces: list[str] = field(default_factory=list)
    active: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "iframe", "object", "embed", "img", "a", "svg"):
            self.active.append(f"<{tag}>")
        for name, value in attrs:
            if name.startswith("on") or (value or "").strip().casefold().startswith("javascript:"):
                self.active.append(f"{tag} {name}={value}")

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)


def html_of(app: AppTest) -> list[str]:
    """The bodies of the page's HTML elements, the style sheet left out."""
    bodies = [element.proto.body for element in app.get("html")]
    return [body for body in bodies if not body.startswith("<style>")]


def read_html(app: AppTest) -> Reading:
    """The page's HTML elements, read."""
    reading = Reading()
    for body in html_of(app):
        reading.feed(body)
        reading.pieces.append("\n")
    return reading


def text_of(app: AppTest) -> str:
    """All that the page says: its HTML as text, then the values of its other elements."""
    others = [str(element.value) for kind in _SHOWN for element in app.get(kind)]
    return "\n".join(["".join(read_html(app).pieces), *others])
