"""The app's few own styles, on top of Streamlit's theme, in light and in dark."""

from functools import cache
from pathlib import Path

import streamlit as st


def apply_style() -> None:
    """Adds the style sheet to the page; takes no room."""
    st.html(_sheet())


@cache
def _sheet() -> str:
    sheets = sorted(Path(__file__).parent.glob("*.css"))
    return f"<style>{''.join(sheet.read_text(encoding='utf-8') for sheet in sheets)}</style>"
