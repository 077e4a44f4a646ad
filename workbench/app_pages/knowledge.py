"""The page Knowledge; it is drawn by `workbench.views.knowledge`."""

from workbench.views.knowledge import draw_knowledge_page

draw_knowledge_page()
