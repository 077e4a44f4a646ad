"""The button that brings the index up to date, the progress of the run, and what it did."""

import streamlit as st

from retrieval.knowledge_base import KnowledgeBase
from workbench.presenters.markup import plain_label
from workbench.presenters.notes import report_facts
from workbench.presenters.settings import fact_row
from workbench.services.reindexing import IndexRun, start_run
from workbench.state import knowledge as keys
from workbench.views.frame import show_error

STAGES = {"start": "Starting", "load": "Reading notes", "embed": "Embedding passages"}


def draw_reindexing(base: KnowledgeBase, run: IndexRun | None) -> None:
    """Draws the button, or how far the run is that was on before the page read the notes."""
    if run is not None:
        _watch(run)
        return
    st.button(
        "Re-index",
        key=keys.REINDEX,
        type="primary",
        icon=":material/sync:",
        on_click=_start,
        args=(base,),
    )


def draw_last_run() -> None:
    """Draws what the run that this browser session started did, once it has ended."""
    run: IndexRun | None = st.session_state.get(keys.SEEN)
    if run is None or not run.ended:
        return
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.subheader("Re-indexed" if run.report else "Not re-indexed", anchor=False)
            st.button("Close", key=keys.CLOSE, on_click=_close)
        _draw_report(run)


def _draw_report(run: IndexRun) -> None:
    if run.error is not None:
        show_error(run.error)
        return
    report = run.report
    if report is None:
        return
    st.html(fact_row(report_facts(report)))
    if report.rebuilt_because:
        st.caption(plain_label(f"Built anew: {report.rebuilt_because}", limit=300))
    for issue in report.report.errors[:20]:
        st.error(plain_label(str(issue), limit=400))


@st.fragment(run_every=0.5)
def _watch(run: IndexRun) -> None:
    if run.ended:
        st.rerun()
    step = run.step
    share = min(1.0, step.done / step.total) if step.total else 0.0
    text = STAGES.get(step.stage, step.stage)
    st.progress(share, f"{text} {step.done:,}/{step.total:,}" if step.total else text, width=260)


def _close() -> None:
    st.session_state.pop(keys.SEEN, None)


def _start(base: KnowledgeBase) -> None:
    st.session_state[keys.SEEN] = start_run(base)
