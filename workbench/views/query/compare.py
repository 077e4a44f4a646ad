"""Two settings on the same query, side by side."""

import streamlit as st

from retrieval.knowledge_base import KnowledgeBase
from retrieval.types import LookupResult
from workbench.launch import Launch
from workbench.presenters.comparing import align, present_comparison, summarise
from workbench.state import query as names
from workbench.state.query import QueryState
from workbench.views.frame import show_warning
from workbench.views.query.absence import draw_absence
from workbench.views.query.answer import draw_actions, draw_head, draw_process, draw_some
from workbench.views.query.judging import draw_missing, judging_bar


def draw_comparison(
    base: KnowledgeBase, launch: Launch, page: QueryState, left: LookupResult, right: LookupResult
) -> None:
    """Both heads, the notes aligned and judged, a missing one followed, how each came about."""
    results = (left, right)
    shared = [warning for warning in left.warnings if warning in right.warnings]
    for warning in shared:
        if warning.code != "index_stale":
            show_warning(warning)
    for column, name, result in zip(st.columns(2, gap="medium"), names.SIDES, results, strict=True):
        with column:
            st.subheader(name.upper(), anchor=False)
            draw_head(result, shared)
    failed = all(result.error is not None for result in results)
    board = None if launch.read_only or failed else judging_bar(base, page.query)
    rows = align(left, right)
    st.caption(summarise(rows))
    if page.choice == page.other:
        st.caption("Both sides have the same settings: change one of B's.")
    for note in draw_some(present_comparison(left, right), len(rows)):
        with st.container(border=True):
            st.html(note.html)
            draw_actions(base, board, note.block)
    if board is not None:
        draw_missing(base, board, {row.source for row in rows})
    draw_absence(base, page, results)
    for column, name, result in zip(st.columns(2, gap="medium"), names.SIDES, results, strict=True):
        with column, st.expander(f"How {name.upper()} came about"):
            draw_process(base, result, name)
