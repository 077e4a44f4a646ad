"""The page Query; it is drawn by `workbench.views.query`."""

from workbench.views.query import draw_query_page

draw_query_page()
