"""Recorded lookups run again on today's index: what changed."""

import streamlit as st

from retrieval.knowledge_base import KnowledgeBase
from workbench.presenters.traces import Clock


def draw_replay(base: KnowledgeBase, ids: list[str], clock: Clock) -> None:
    """Draws what became of each record."""
    st.subheader("Replay on today's index", anchor=False)
