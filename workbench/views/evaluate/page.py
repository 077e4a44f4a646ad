"""The page from top to bottom."""

from functools import cache
from pathlib import Path

import streamlit as st

from retrieval.knowledge_base import KnowledgeBase
from workbench.launch import Launch
from workbench.services.evaluating import Evaluated
from workbench.state import evaluate as names
from workbench.views.evaluate.form import draw_form
from workbench.views.evaluate.report import draw_report
from workbench.views.evaluate.running import collect, draw_run
from workbench.views.frame import draw_page


def draw_evaluate_page() -> None:
    """Draws the page."""
    st.html(_sheet())
    draw_page("Evaluate", _draw)


def _draw(base: KnowledgeBase, launch: Launch) -> None:
    collect()
    done: Evaluated | None = st.session_state.get(names.DONE)
    with st.expander("What to run", expanded=done is None, icon=":material/play_circle:"):
        draw_form(base, launch)
    draw_run()
    if done is not None:
        draw_report(base, done)


@cache
def _sheet() -> str:
    return f"<style>{Path(__file__).with_name('style.css').read_text(encoding='utf-8')}</style>"
