"""Colours and type of the app, as options of Streamlit: one accent, in light and in dark."""

import json

ACCENT = {"light": "#2f5fd0", "dark": "#7ea2ff"}


def _listed(*values: str | int) -> str:
    """A list as Streamlit reads it from a command line."""
    return json.dumps(values)


_SHARED = {
    "theme.paddingTop": "2.2rem",
    "theme.baseRadius": "0.5rem",
    "theme.baseFontSize": "15",
    "theme.headingFontWeights": _listed(650, 620, 620, 600, 600, 600),
    "theme.headingFontSizes": _listed("1.6rem", "1.25rem", "1.05rem", "1rem", "0.95rem", "0.9rem"),
    "theme.showWidgetBorder": "true",
    "theme.codeFontSize": "0.82rem",
}
_LIGHT = {
    "primaryColor": ACCENT["light"],
    "backgroundColor": "#ffffff",
    "secondaryBackgroundColor": "#f5f6f8",
    "textColor": "#1c2430",
    "borderColor": "#dfe3e8",
    "linkColor": ACCENT["light"],
    "codeBackgroundColor": "#f5f6f8",
    "sidebar.backgroundColor": "#f5f6f8",
    "sidebar.secondaryBackgroundColor": "#ffffff",
}
_DARK = {
    "primaryColor": ACCENT["dark"],
    "backgroundColor": "#14171c",
    "secondaryBackgroundColor": "#1d2128",
    "textColor": "#e4e7ec",
    "borderColor": "#333a45",
    "linkColor": ACCENT["dark"],
    "codeBackgroundColor": "#1d2128",
    "sidebar.backgroundColor": "#1a1e24",
    "sidebar.secondaryBackgroundColor": "#242a33",
}

THEME = {
    **_SHARED,
    **{f"theme.light.{name}": value for name, value in _LIGHT.items()},
    **{f"theme.dark.{name}": value for name, value in _DARK.items()},
}
"""Option → value. The app follows the browser's preference of light or dark."""
