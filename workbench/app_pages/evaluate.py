"""The page Evaluate; it is drawn by `workbench.views.evaluate`."""

from workbench.views.evaluate import draw_evaluate_page

draw_evaluate_page()
