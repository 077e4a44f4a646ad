"""The page Settings; it is drawn by `workbench.views.settings`."""

from workbench.views.settings import draw_settings_page

draw_settings_page()
