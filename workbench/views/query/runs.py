"""Lookups of one user: each is made and recorded once, however often the page is drawn."""

from collections.abc import Hashable

import streamlit as st

from retrieval.knowledge_base import KnowledgeBase
from retrieval.types import LookupResult
from workbench.services.lookups import LookupChoice, look_up
from workbench.state import query as names
from workbench.views.frame import session_id

KEPT = 8
"""Results of a session that are kept to be drawn again."""


def run_lookup(
    base: KnowledgeBase, query: str, choice: LookupChoice, *, state: Hashable, again: bool
) -> LookupResult:
    """The answer, looked up when query, settings or `state` are new, or `again` is true."""
    runs: dict[Hashable, LookupResult] = st.session_state.setdefault(names.RUNS, {})
    key = (str(base.location.root), query, repr(choice), state)
    result = None if again else runs.pop(key, None)
    if result is None:
        result = look_up(base, query, choice, session=session_id())
    runs.pop(key, None)
    runs[key] = result
    while len(runs) > KEPT:
        del runs[next(iter(runs))]
    return result
