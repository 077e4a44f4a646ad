"""Why a note is not in the answer."""

from collections.abc import Sequence

import streamlit as st

from retrieval.errors import RetrievalError
from retrieval.knowledge_base import KnowledgeBase
from retrieval.types import LookupResult
from retrieval.why import Absence
from workbench.presenters.absence import present_absence
from workbench.presenters.markup import plain_option
from workbench.services.absence import askable_notes, follow_note
from workbench.services.lookups import LookupChoice
from workbench.state import query as names
from workbench.state.query import QueryState
from workbench.views.frame import show_error


def draw_absence(base: KnowledgeBase, page: QueryState, results: Sequence[LookupResult]) -> None:
    """A choice of notes, and the way of the chosen one through the lookup of each side."""
    if any(result.error is not None for result in results):
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
        if source is None:
            return
        columns = st.columns(len(results), gap="medium")
        for column, side, result in zip(columns, names.SIDES, results, strict=False):
            choice = page.choice if side == names.SIDES[0] else page.other
            with column:
                if len(results) > 1:
                    st.markdown(f"**{side.upper()}**")
                try:
                    with st.spinner("Following the note…"):
                        absence = _follow(base, result, choice, source, side)
                except RetrievalError as error:  # the answer beside it stands
                    show_error(error.info())
                else:
                    st.html(present_absence(absence))


def _follow(
    base: KnowledgeBase, result: LookupResult, choice: LookupChoice, source: str, side: str
) -> Absence:
    """The note's way, worked out once for an answer: it takes several lookups."""
    key = (id(result), source)
    ways = st.session_state.setdefault(names.WHY_KEPT, {})
    if side not in ways or ways[side][0] != key:
        ways[side] = (key, follow_note(base, result.query, choice, source), result)
    absence: Absence = ways[side][1]
    return absence
