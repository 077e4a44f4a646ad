"""Why a note is not in the answer."""

import streamlit as st

from retrieval.errors import RetrievalError
from retrieval.knowledge_base import KnowledgeBase
from retrieval.types import LookupResult
from retrieval.why import Absence
from workbench.presenters.absence import present_absence
from workbench.presenters.markup import plain_option
from workbench.services.absence import askable_notes, follow_note
from workbench.state import query as names
from workbench.state.query import QueryState
from workbench.views.frame import show_error


def draw_absence(base: KnowledgeBase, page: QueryState, result: LookupResult) -> None:
    """A choice of notes, and the way of the chosen one through this lookup."""
    if result.error is not None:
        return
    with st.container(border=True):
        st.subheader("Why not?", anchor=False)
        notes = askable_notes(base)
        source = st.selectbox(
            "Note",
            list(notes),
            index=None,
            format_func=lambda source: plain_option(
                source if notes[source] == source else f"{notes[source]} · {source}"
            ),
            key=names.WHY_SOURCE,
            placeholder="Choose a note to follow",
            label_visibility="collapsed",
        )
        if source is not None:
            try:
                with st.spinner("Following the note…"):
                    absence = _follow(base, page, result, source)
            except RetrievalError as error:  # the answer beside it stands
                show_error(error.info())
            else:
                st.html(present_absence(absence))


def _follow(base: KnowledgeBase, page: QueryState, result: LookupResult, source: str) -> Absence:
    """The note's way, worked out once for an answer: it takes several lookups."""
    key = (id(result), source)
    kept = st.session_state.get(names.WHY_KEPT)
    if kept is None or kept[0] != key:
        kept = (key, follow_note(base, page.query, page.choice, source), result)
        st.session_state[names.WHY_KEPT] = kept
    absence: Absence = kept[1]
    return absence
