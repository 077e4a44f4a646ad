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
from workbench.presenters.prose import prose_label
from workbench.presenters.sidebar import present_sidebar
from workbench.services.health import build_index, check_index
from workbench.services.reindexing import IndexRun, find_run
from workbench.state import knowledge, shell


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
    st.session_state[shell.PAGE] = title


def show_error(error: ErrorInfo) -> None:
    """An error that leaves the page without content."""
    st.error(_sentence(error), icon=":material/error:")


def show_warning(error: ErrorInfo) -> None:
    """Something that the answer or the page does without; files that cannot be read are a quiet
    line with a link to the page that lists them."""
    if error.code == "notes_unreadable":
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.text(error.message, width="stretch")
            st.page_link(
                "app_pages/knowledge.py",
                label="Knowledge → Health",
                icon=":material/library_books:",
                query_params={knowledge.VIEW_PARAMETER: knowledge.HEALTH_VIEW},
            )
        return
    st.warning(_sentence(error), icon=":material/warning:")


def session_id() -> str:
    """An id of this browser session, the same on every page."""
    if shell.SESSION not in st.session_state:
        st.session_state[shell.SESSION] = uuid4().hex
    return str(st.session_state[shell.SESSION])


def _sentence(error: ErrorInfo) -> str:
    return prose_label(f"{error.message} {error.next_action}".strip())


def draw_index_notice(base: KnowledgeBase, launch: Launch) -> None:
    """Says so when there is no index, or an old one; with a button to build it unless read-only."""
    if (done := st.session_state.pop(shell.INDEX_BUILT, None)) is not None:
        st.toast(plain_label(done), icon=":material/check:")
    health = check_index(base)
    if health.state == "ready":
        return
    with st.container(border=True, key="kw-notice"):
        row = st.container(
            horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
        )
        row.text(health.message)
        if launch.read_only:
            return
        if row.button(health.action, key=shell.BUILD_INDEX, icon=":material/refresh:"):
            bar = st.progress(0.0, "Reading notes")
            st.session_state[shell.INDEX_BUILT] = build_index(base, bar.progress)
            st.rerun()


def draw_sidebar() -> None:
    """Which knowledge base this is, and what it answers from. Draws nothing when it cannot open.

    Called after the page, so that the page's frame is there before notes and index are read.
    """
    launch = read_launch()
    with suppress(RetrievalError):
        base = open_base(launch)
        run = find_run(base)  # before the health, so that its end is not missed in between
        running = run is not None and not run.ended
        st.html(
            present_sidebar(
                base.location.root,
                len(base.entries),
                check_index(base),
                base.fingerprint,
                read_only=launch.read_only,
            )
        )
        if run is not None and running:
            _await_run(run)


@st.fragment(run_every=1.0)
def _await_run(run: IndexRun) -> None:
    """Draws the whole page again when the re-index has ended, whichever page it is by then."""
    if run.ended:
        st.rerun()
    st.caption("The index is being brought up to date.")
