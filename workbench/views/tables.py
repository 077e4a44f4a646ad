"""Tables from which rows are chosen."""

import streamlit as st

ROW, HEAD = 33, 37
"""Pixels."""


def table_height(key: str, rows: int) -> int:
    """Pixels of a table: less once a row is chosen, so that what it opens is on the screen."""
    chosen = st.session_state.get(key, {}).get("selection", {}).get("rows")
    return HEAD + ROW * min(rows, 5 if chosen else 10)
