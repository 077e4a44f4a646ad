"""One note: its fields as loaded, its findings, and its text."""

import streamlit as st

from retrieval.errors import RetrievalError
from retrieval.knowledge_base import KnowledgeBase
from workbench.presenters.markup import tag, visible
from workbench.presenters.notes import findings_table, note_fields, use_line
from workbench.services.notes import Survey, Use
from workbench.views.frame import show_error


def draw_note(base: KnowledgeBase, survey: Survey, use: Use, source: str) -> None:
    """Draws the note with this source; of a file that cannot be read, its findings."""
    entry = next((entry for entry in survey.entries if entry.source == source), None)
    findings = survey.by_source.get(source, ())
    with st.container(border=True):
        title = entry.title if entry else source
        st.html(tag("div", title, css="kt-query") + tag("div", source, css="kw-muted"))
        left, right = st.columns([3, 2], gap="large")
        with right:
            if entry is not None:
                st.subheader("Fields as loaded", anchor=False)
                st.html(note_fields(entry))
                st.text(use_line(use.queries_of(source), use))
            if findings:
                st.subheader("Findings", anchor=False)
                st.html(findings_table(findings))
        with left:
            try:
                st.code(visible(base.get(source)), language=None, wrap_lines=True, height=520)
            except RetrievalError as error:
                show_error(error.info())
