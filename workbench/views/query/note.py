"""A whole note in a dialog, as text."""

import streamlit as st

from retrieval.errors import RetrievalError
from retrieval.knowledge_base import KnowledgeBase
from retrieval.types import EvidenceBlock
from workbench.presenters.markup import plain_label
from workbench.presenters.note import present_note
from workbench.views.frame import show_error


@st.dialog("Note", width="large")
def open_note(base: KnowledgeBase, block: EvidenceBlock) -> None:
    """Shows the file as it is now, with line numbers, the matched lines marked."""
    st.markdown(f"**{plain_label(block.title)}**  \n{plain_label(block.source)}")
    try:
        text = base.get(block.source)
    except RetrievalError as error:
        show_error(error.info())
        return
    if block.passages:
        lines = ", ".join(f"{p.line_start}–{p.line_end}" for p in block.passages)
        st.caption(f"Matched lines: {plain_label(lines, limit=300)}")
    with st.container(height=520, border=True):
        st.html(present_note(text, block.passages))
