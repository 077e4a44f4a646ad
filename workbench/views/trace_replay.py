"""Recorded lookups run again on today's index: what changed."""

import streamlit as st

from retrieval.knowledge_base import KnowledgeBase
from workbench.caching import folder_state, keep
from workbench.presenters.replay import replay_card, summary_line
from workbench.presenters.traces import Clock
from workbench.services.traces import replay_traces
from workbench.state import traces as keys


def draw_replay(base: KnowledgeBase, ids: list[str], clock: Clock) -> None:
    """Draws what became of each record; they are run once for a state of the knowledge base."""
    with st.container(border=True):
        with st.spinner("Looking up again", show_time=True):
            result = keep(
                base,
                "replay",
                lambda: replay_traces(base, ids),
                *ids,
                state=folder_state(base),
            )
        with st.container(horizontal=True, vertical_alignment="center"):
            st.subheader("Replay on today's index", anchor=False, width="stretch")
            st.button("Close", key=keys.CLOSE, on_click=_close)
        st.text(summary_line(result))
        for call in result.calls:
            st.html(replay_card(call, clock))


def _close() -> None:
    st.session_state.pop(keys.REPLAYED, None)
