"""The page Traces."""

import streamlit as st

from retrieval.knowledge_base import KnowledgeBase
from workbench.launch import Launch
from workbench.views.frame import draw_page


def draw_traces_page() -> None:
    """Draws the page."""
    draw_page("Traces", _draw)


def _draw(base: KnowledgeBase, launch: Launch) -> None:
    st.write("")
