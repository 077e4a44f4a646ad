"""The page Knowledge: the notes, their health, and the index."""

import hashlib

import streamlit as st

from retrieval.errors import RecordError
from retrieval.knowledge_base import KnowledgeBase
from workbench.caching import folder_state, keep
from workbench.launch import Launch
from workbench.presenters.markup import visible
from workbench.presenters.notes import (
    HEALTH,
    categories_of,
    filter_rows,
    index_line,
    note_rows,
    table_of,
)
from workbench.services.health import check_index
from workbench.services.notes import Survey, Use, read_use, survey_notes
from workbench.services.reindexing import find_run
from workbench.state import knowledge as keys
from workbench.views.frame import draw_page, show_warning
from workbench.views.note_health import draw_health
from workbench.views.note_text import draw_note
from workbench.views.reindexing import draw_last_run, draw_reindexing
from workbench.views.tables import table_height

ANY = "any category"
NOTES = "Notes"


def draw_knowledge_page() -> None:
    """Draws the page."""
    draw_page("Knowledge", _draw)


def _draw(base: KnowledgeBase, launch: Launch) -> None:
    run = find_run(base)
    running = run if run is not None and not run.ended else None
    use, survey = _read(base)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(index_line(check_index(base), survey), width="stretch")
        if not launch.read_only:
            draw_reindexing(base, running)
    draw_last_run()
    if use.problem is not None:
        show_warning(use.problem)
    health = f"Health ({len(survey.findings):,})"
    wanted = st.query_params.get(keys.VIEW_PARAMETER)
    notes_tab, health_tab = st.tabs(
        [NOTES, health], key=keys.VIEW, default=health if wanted == keys.HEALTH_VIEW else NOTES
    )
    with notes_tab:
        _draw_notes(base, survey, use)
    with health_tab:
        draw_health(survey, use)


def _read(base: KnowledgeBase) -> tuple[Use, Survey]:
    """Read once for a state of the folder, of the index, and of what was asked when the page was
    opened."""
    if keys.TEXT not in st.session_state or keys.USE not in st.session_state:
        st.session_state[keys.USE] = _use_stamp(base)
    state = f"{folder_state(base)} {st.session_state[keys.USE]}"
    with st.spinner("Reading the notes", show_time=True):
        use = keep(base, "use", lambda: read_use(base), state=state)
        survey = keep(base, "survey", lambda: survey_notes(base, use), state=state)
    return use, survey


def _use_stamp(base: KnowledgeBase) -> int:
    try:
        return base.records().count()
    except RecordError:
        return -1


def _draw_notes(base: KnowledgeBase, survey: Survey, use: Use) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = st.text_input(
            "Search", key=keys.TEXT, placeholder="title or source", width="stretch"
        )
        category = st.selectbox(
            "Category",
            [ANY, *categories_of(survey)],
            format_func=visible,
            key=keys.CATEGORY,
            width=200,
        )
        health = st.selectbox("Health", HEALTH, key=keys.HEALTH, width=160)
    every = note_rows(survey)
    rows = filter_rows(
        every, text=text, category=None if category == ANY else category, health=health
    )
    if not rows:
        st.caption("No note fits." if every else "There are no notes in this folder yet.")
        return
    import pandas as pd

    digest = hashlib.sha256("\n".join(row.source for row in rows).encode()).hexdigest()[:12]
    key = keys.table(digest)
    event = st.dataframe(
        pd.DataFrame(table_of(rows)),
        hide_index=True,
        height=table_height(key, len(rows)),
        key=key,
        on_select="rerun",
        selection_mode="single-row",
        alt="Notes",
        column_config={
            "Source": st.column_config.TextColumn(width=270),
            "Title": st.column_config.TextColumn(width=290),
            "Category": st.column_config.TextColumn(width=130),
            "Keywords": st.column_config.NumberColumn(width=80),
            "Passages": st.column_config.NumberColumn(width=80),
            "Health": st.column_config.TextColumn(width=130),
        },
    )
    st.caption(f"{len(rows):,} of {len(every):,} files. Select a row to read the note.")
    chosen = event.selection.rows
    source = (
        rows[chosen[0]].source
        if chosen and chosen[0] < len(rows)
        else st.query_params.get(keys.SOURCE_PARAMETER)
    )
    if source:
        st.query_params[keys.SOURCE_PARAMETER] = source
        draw_note(base, survey, use, source)
