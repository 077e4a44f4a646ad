"""The page Query."""

from workbench.views.query.page import draw_query_page

__all__ = ["draw_query_page"]
