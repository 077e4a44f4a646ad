"""A report as one HTML page: no script, nothing fetched, charts inside, light and dark."""

from typing import Any

from eval_sets.report.document import Document, Figure, Table, text_of, tone_of
from retrieval.console import plain
from retrieval.errors import MissingExtra

_FOLDED_FROM = 16
"""Rows from which on a table starts folded."""


def to_html(document: Document) -> str:
    """The document as a page. All text in it is escaped.

    Raises `MissingExtra` without the extra `eval`.
    """
    try:
        import vl_convert  # noqa: F401 - Altair draws SVG with it, and asks for it only then
        from jinja2 import Environment, PackageLoader, StrictUndefined
        from markupsafe import Markup

        from eval_sets.report.charts import to_svg
    except ImportError:
        raise MissingExtra("The HTML report", "eval") from None
    environment = Environment(
        loader=PackageLoader("eval_sets.report", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Any] = {
        "svg": lambda figure: Markup(to_svg(figure)),
        "text": _text,
        "tone": tone_of,
    }
    environment.filters |= filters
    environment.tests |= {
        "table": lambda block: isinstance(block, Table),
        "figure": lambda block: isinstance(block, Figure),
        "long": lambda table: len(table.rows) >= _FOLDED_FROM,
    }
    return environment.get_template("page.html.jinja").render(document=document) + "\n"


def _text(cell: Any) -> str:
    return plain(text_of(cell))
