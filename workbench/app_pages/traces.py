"""The page Traces; it is drawn by `workbench.views.traces`."""

from workbench.views.traces import draw_traces_page

draw_traces_page()
