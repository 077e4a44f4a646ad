"""What every page shares: the title, the knowledge base beside it, and errors as messages."""

from collections.abc import Callable
from contextlib import suppress
from uuid import uuid4

import streamlit as st

from retrieval.errors import RetrievalError
from retrieval.knowledge_base import KnowledgeBase
from retrieval.types import ErrorInfo
from workbench.caching import open_base
from workbench.launch import Launch, read_launch
from workbench.presenters.markup import plain_label
from workbench.state import shell


def draw_page(title: str, draw: Callable[[KnowledgeBase, Launch], None]) -> None:
    """The page's title, then what `draw` draws of the knowledge base, or why there is none.

    A `RetrievalError` that leaves `draw` is shown as a message with what to do about it.
    """
    st.title(title, anchor=False)
    launch = read_launch()
    try:
        draw(open_base(launch), launch)
    except RetrievalError as error:
        show_error(error.info())


def show_error(error: ErrorInfo) -> None:
    """An error that leaves the page without content."""
    st.error(_sentence(error), icon=":material/error:")


def show_warning(error: ErrorInfo) -> None:
    """Something that the answer or the page does without."""
    st.warning(_sentence(error), icon=":material/warning:")


def session_id() -> str:
    """An id of this browser session, the same on every page."""
    if shell.SESSION not in st.session_state:
        st.session_state[shell.SESSION] = uuid4().hex
    return str(st.session_state[shell.SESSION])


def _sentence(error: ErrorInfo) -> str:
    return plain_label(f"{error.message} {error.next_action}".strip(), limit=600)


def draw_sidebar() -> None:
    """Which knowledge base this is, and what it answers from. Draws nothing when it cannot open.

    Called after the page, so that the page's frame is there before notes and index are read.
    """
    with suppress(RetrievalError):
        launch = read_launch()
        base = open_base(launch)
        st.caption(plain_label(base.location.root.name))
        mark = base.fingerprint
        st.caption(plain_label(f"config {mark.config} index {mark.index or 'none'}"))
