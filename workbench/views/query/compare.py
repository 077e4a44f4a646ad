"""Two settings on the same query, side by side."""

import streamlit as st

from retrieval.knowledge_base import KnowledgeBase
from retrieval.types import LookupResult
from workbench.presenters.comparing import align, present_comparison, summarise
from workbench.state.query import QueryState
from workbench.views.frame import show_warning
from workbench.views.query.answer import draw_head, draw_process


def draw_comparison(
    base: KnowledgeBase, page: QueryState, left: LookupResult, right: LookupResult
) -> None:
    """What both are warned of, both heads, the notes aligned by source, how each came about."""
    sides = (("A", left), ("B", right))
    shared = [warning for warning in left.warnings if warning in right.warnings]
    for warning in shared:
        if warning.code != "index_stale":
            show_warning(warning)
    for column, (name, result) in zip(st.columns(2, gap="medium"), sides, strict=True):
        with column:
            st.subheader(name, anchor=False)
            draw_head(result, shared)
    st.caption(summarise(align(left, right)))
    if left.evidence_blocks or right.evidence_blocks:
        st.html(present_comparison(left, right))
    if page.choice == page.other:
        st.caption("Both sides have the same settings: change one of B's.")
    for column, (name, result) in zip(st.columns(2, gap="medium"), sides, strict=True):
        with column, st.expander(f"How {name} came about"):
            draw_process(base, result, name.lower())
