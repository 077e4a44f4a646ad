"""The page Evaluate: run a labelled set, read the report, look at single queries."""

from workbench.views.evaluate.page import draw_evaluate_page

__all__ = ["draw_evaluate_page"]
