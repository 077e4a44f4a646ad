"""The run of a session: started once, watched on any rerun, stopped on request."""

import streamlit as st

from retrieval.errors import RetrievalError
from retrieval.knowledge_base import KnowledgeBase
from workbench.presenters.markup import plain_label
from workbench.presenters.run_progress import present_progress
from workbench.services.evaluating import Evaluated, Plan, evaluate, planned_stages
from workbench.services.jobs import Job, Stopped
from workbench.state import evaluate as names
from workbench.views.frame import show_error

REFRESH_SECONDS = 0.5


def start(base: KnowledgeBase, plan: Plan, *, read_only: bool) -> None:
    """Starts the run in its thread, unless one of the same user is still going on."""
    if is_running():
        return
    st.session_state[names.JOB] = Job(
        lambda tell: evaluate(base, plan, tell, read_only=read_only), planned_stages(plan)
    )


def is_running() -> bool:
    """True while a run of the user goes on."""
    job = _job()
    return job is not None and job.state in ("running", "stopping")


def collect() -> None:
    """Takes the report of a run that ended well; other ends stay for `draw_run`."""
    job = _job()
    if job is not None and job.state == "done":
        st.session_state[names.DONE] = job.result()
        st.session_state.pop(names.PAIRS, None)
        del st.session_state[names.JOB]
        st.toast("The evaluation is done.", icon=":material/check:")


def draw_run() -> None:
    """The progress of the run, or how it ended when there is no report of it."""
    job = _job()
    if job is None:
        return
    if is_running():
        _draw_progress()
        return
    try:
        job.result()
    except Stopped:
        st.info("The run was cancelled. Rows that were finished are kept for the next one.")
    except RetrievalError as error:
        show_error(error.info())


@st.fragment(run_every=REFRESH_SECONDS)
def _draw_progress() -> None:
    job = _job()
    if job is None or not is_running():
        st.rerun()
        return
    share, text = present_progress(job.step, job.state)
    row = st.container(horizontal=True, vertical_alignment="center")
    row.progress(share, plain_label(text), width="stretch")
    row.button(
        "Cancel",
        key=names.CANCEL,
        icon=":material/stop_circle:",
        disabled=job.state == "stopping",
        on_click=job.stop,
    )


def _job() -> Job[Evaluated] | None:
    job: Job[Evaluated] | None = st.session_state.get(names.JOB)
    return job
