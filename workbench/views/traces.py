"""The page Traces: recorded lookups, one of them as recorded, its replay, and labelling."""

import hashlib
from datetime import UTC, datetime
from typing import get_args

import streamlit as st

from retrieval.errors import RecordError
from retrieval.knowledge_base import KnowledgeBase
from retrieval.types import ErrorInfo, Layer, Outcome
from workbench.launch import Launch
from workbench.presenters.markup import plain_label
from workbench.presenters.traces import (
    SPANS,
    Clock,
    clock_of,
    page_line,
    trace_rows,
    waiting_line,
)
from workbench.services.traces import (
    PAGE_SIZE,
    TracePage,
    Wanted,
    count_waiting,
    find_traces,
)
from workbench.state import traces as keys
from workbench.views.frame import draw_page, show_error, show_warning
from workbench.views.tables import table_height
from workbench.views.trace_detail import draw_trace
from workbench.views.trace_labels import draw_queue, start_queue
from workbench.views.trace_replay import draw_replay

ANY = "any"
RECORDING_OFF = ErrorInfo(
    code="recording_off",
    message="The setting records.record is off, so lookups leave no record.",
    next_action="Set it to full on the page Settings.",
)


def draw_traces_page() -> None:
    """Draws the page."""
    draw_page("Traces", _draw)


def _draw(base: KnowledgeBase, launch: Launch) -> None:
    if st.session_state.get(keys.QUEUE):
        draw_queue(base)
        return
    if base.settings.records.record == "off":
        show_warning(RECORDING_OFF)
    wanted = _draw_filters()
    try:
        found = find_traces(base, wanted, st.session_state.get(keys.PAGE, 1))
    except RecordError as error:
        show_error(error.info())
        if waiting := waiting_line(count_waiting(base)):
            st.info(waiting, icon=":material/hourglass:")
        return
    if waiting := waiting_line(found.waiting, found.warning.message if found.warning else ""):
        st.info(plain_label(waiting, limit=400), icon=":material/hourglass:")
    clock = clock_of(st.context.timezone)
    selected = _draw_table(found, clock)
    opened = selected[0] if len(selected) == 1 else None
    _draw_actions(selected, launch)
    if opened is None and not selected:
        opened = st.query_params.get(keys.ID_PARAMETER)
    if opened:
        st.query_params[keys.ID_PARAMETER] = opened
        draw_trace(base, opened, clock)
    elif keys.ID_PARAMETER in st.query_params:
        del st.query_params[keys.ID_PARAMETER]
    if replayed := st.session_state.get(keys.REPLAYED):
        draw_replay(base, replayed, clock)


def _draw_filters() -> Wanted:
    """The list ends where it was last refreshed, so that rows keep their place meanwhile."""
    if keys.TEXT not in st.session_state or keys.AS_OF not in st.session_state:
        _refresh()
    now: datetime = st.session_state[keys.AS_OF]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        span = st.selectbox("Time", list(SPANS), key=keys.SPAN, width=150, on_change=_first_page)
        outcome = st.selectbox(
            "Outcome",
            [ANY, *get_args(Outcome)],
            format_func=lambda word: word.replace("_", " "),
            key=keys.OUTCOME,
            width=150,
            on_change=_first_page,
        )
        layer = st.selectbox(
            "Layer",
            [ANY, *get_args(Layer), "none"],
            key=keys.LAYER,
            width=120,
            on_change=_first_page,
        )
        text = st.text_input(
            "Query holds",
            key=keys.TEXT,
            placeholder="any text",
            width="stretch",
            on_change=_first_page,
        )
        st.button("Refresh", key=keys.REFRESH, icon=":material/refresh:", on_click=_refresh)
    back = SPANS[span]
    return Wanted(
        outcome=None if outcome == ANY else outcome,
        layer=None if layer == ANY else layer,
        text=text,
        since=None if back is None else now - back,
        until=now,
    )


def _draw_table(found: TracePage, clock: Clock) -> list[str]:
    """The page's table; ids of the selected rows."""
    with st.container(horizontal=True, vertical_alignment="center"):
        first = (found.number - 1) * PAGE_SIZE + 1
        st.caption(page_line(first, len(found.traces), found.total))
        if found.pages > 1:
            st.pagination(found.pages, key=keys.PAGE)
    if not found.traces:
        return []
    import pandas as pd

    ids = [trace.id for trace in found.traces]
    digest = hashlib.sha256("".join(ids).encode()).hexdigest()[:12]
    key = keys.table(found.number, digest)
    event = st.dataframe(
        pd.DataFrame(trace_rows(found.traces, clock)),
        hide_index=True,
        height=table_height(key, len(ids)),
        key=key,
        on_select="rerun",
        selection_mode="multi-row",
        alt="Recorded lookups",
        column_config={
            "Time": st.column_config.TextColumn(f"Time ({clock.name})", width=165),
            "Query": st.column_config.TextColumn(width="large"),
            "Outcome": st.column_config.TextColumn(width=95),
            "Layer": st.column_config.TextColumn(width=70),
            "Blocks": st.column_config.NumberColumn(width=60),
            "ms": st.column_config.NumberColumn("ms", width=70),
            "Caller": st.column_config.TextColumn(width=95),
        },
    )
    return [ids[row] for row in event.selection.rows if row < len(ids)]


def _draw_actions(selected: list[str], launch: Launch) -> None:
    count = len(selected)
    with st.container(horizontal=True, vertical_alignment="center"):
        if not count:
            st.caption("Select one row to open it, several to replay or label them.")
            return
        these = "1 lookup" if count == 1 else f"{count} lookups"
        st.button(
            f"Replay {these}",
            key=keys.REPLAY,
            icon=":material/replay:",
            on_click=_replay,
            args=(selected,),
        )
        if not launch.read_only:
            st.button(
                f"Label {these}",
                key=keys.LABEL,
                icon=":material/label:",
                on_click=start_queue,
                args=(selected,),
            )


def _replay(ids: list[str]) -> None:
    st.session_state[keys.REPLAYED] = ids


def _refresh() -> None:
    st.session_state[keys.AS_OF] = datetime.now(UTC)
    _first_page()


def _first_page() -> None:
    st.session_state[keys.PAGE] = 1
    st.session_state.pop(keys.REPLAYED, None)
