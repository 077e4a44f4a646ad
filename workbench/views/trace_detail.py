"""One recorded lookup, as it was recorded."""

import streamlit as st

from retrieval.errors import InvalidInput
from retrieval.knowledge_base import KnowledgeBase
from workbench.presenters.prose import prose_label
from workbench.presenters.settings import fact_list
from workbench.presenters.trace_detail import present_trace
from workbench.presenters.traces import Clock
from workbench.services.traces import read_trace
from workbench.views.frame import show_error


def draw_trace(base: KnowledgeBase, id: str, clock: Clock) -> None:
    """Draws the record with this id, or that there is none."""
    try:
        view = present_trace(read_trace(base, id), clock)
    except InvalidInput as error:
        show_error(error.info())
        return
    with st.container(border=True):
        st.html(view.headline)
        if view.error:
            st.error(prose_label(view.error), icon=":material/error:")
        left, right = st.columns([3, 2], gap="large")
        with left:
            st.subheader("Evidence as recorded", anchor=False)
            if not view.evidence:
                st.caption("No evidence was returned.")
            for card in view.evidence:
                st.html(card)
        with right:
            st.subheader("Hints of L0", anchor=False)
            st.html(view.hints)
            st.subheader("Filter decision", anchor=False)
            st.html(view.decision)
            st.subheader("The call", anchor=False)
            st.html(fact_list(view.facts))
