"""Labelling recorded lookups: one query at a time, and nothing is written without a click."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from eval_sets.labelling import SetSummary
from retrieval.errors import RetrievalError, UnknownSource
from retrieval.knowledge_base import KnowledgeBase
from retrieval.records import ToolInvocation
from retrieval.types import ErrorInfo
from workbench.presenters.markup import plain_label, tag, visible
from workbench.presenters.numbers import counted
from workbench.presenters.trace_detail import block_card, blocks_of
from workbench.services.judging import (
    VERDICTS,
    Board,
    Verdict,
    give_verdict,
    judgeable_sets,
    make_set,
    open_board,
    say_no_answer,
)
from workbench.services.traces import queries_to_label
from workbench.state import traces as keys
from workbench.views.frame import show_error

LABELS = {"relevant": "relevant", "partly": "partly", "not": "not relevant"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Desk:
    """What a judgement is about, as it is on the screen."""

    base: KnowledgeBase
    trace: ToolInvocation
    board: Board
    judged_by: str

    @property
    def origin(self) -> str:
        """Where the query of a new case comes from."""
        return f"trace {self.trace.id}"


def start_queue(ids: list[str]) -> None:
    """Puts these records into the queue, from the first."""
    st.session_state[keys.QUEUE] = ids
    st.session_state[keys.POSITION] = 0


def draw_queue(base: KnowledgeBase) -> None:
    """Draws the record that is to be judged, with its evidence."""
    traces, unusable = queries_to_label(base, st.session_state[keys.QUEUE])
    _show_notice()
    if unusable:
        noun = "record has" if unusable == 1 else "records have"
        st.caption(
            f"{unusable} {noun} no query to judge, and {'is' if unusable == 1 else 'are'} left out."
        )
    if not traces:
        st.button("Back to the list", key=keys.END, on_click=_end)
        return
    position = min(st.session_state.get(keys.POSITION, 0), len(traces) - 1)
    trace = traces[position]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = _choose_set(base)
        judged_by = st.text_input(
            "Judged by", key=keys.JUDGE_NAME, placeholder="your name", width=180
        )
    if chosen is None:
        st.button("Back to the list", key=keys.END, on_click=_end)
        return
    try:
        board = open_board(chosen, trace.query or "")
    except RetrievalError as error:  # another set can be chosen, and the list is a click away
        show_error(error.info())
        _draw_steps(position, len(traces))
        return
    st.caption(f"Query {position + 1} of {len(traces)}")
    st.html(tag("div", trace.query or "", css="kt-query"))
    desk = _Desk(base=base, trace=trace, board=board, judged_by=judged_by)
    _draw_blocks(desk)
    _draw_missing(desk)
    _draw_steps(position, len(traces))


def _choose_set(base: KnowledgeBase) -> SetSummary | None:
    sets = {found.name: found for found in judgeable_sets(base)}
    if sets:
        name = st.selectbox(
            "Labelled set",
            list(sets),
            format_func=lambda name: _describe(sets[name]),
            key=keys.SET,
            width=320,
        )
    new = st.text_input("New set", key=keys.NEW_SET, placeholder="name of a new set", width=180)
    st.button(
        "Create", key=keys.CREATE_SET, disabled=not new.strip(), on_click=_create, args=(base, new)
    )
    return sets[name] if sets else None


def _describe(found: SetSummary) -> str:
    copied = ", copied when judged" if found.bundled else ""
    return visible(f"{found.name} ({counted(found.queries, 'query', 'queries')}{copied})")


def _draw_blocks(desk: _Desk) -> None:
    for rank, block in enumerate(blocks_of(desk.trace), 1):
        source = str(block.get("source") or "")
        with st.container(gap="small"):
            st.html(block_card(rank, block))
            with st.container(horizontal=True, vertical_alignment="center"):
                _draw_grade(desk, source)
            with st.expander("Full note as it is now"):
                try:
                    st.code(desk.base.get(source), language=None, wrap_lines=True)
                except UnknownSource as error:
                    show_error(error.info())


def _draw_grade(desk: _Desk, source: str) -> None:
    key = keys.grade(desk.trace.id, source, desk.board.token)
    st.segmented_control(
        plain_label(f"Judgement of {source}"),
        VERDICTS,
        default=desk.board.verdict(source),
        format_func=lambda grade: LABELS[grade],
        key=key,
        label_visibility="collapsed",
        disabled=desk.board.no_answer,
        on_change=_grade,
        args=(desk, source, key),
    )


def _draw_missing(desk: _Desk) -> None:
    shown = {str(block.get("source")) for block in blocks_of(desk.trace)}
    for source in desk.board.grades.keys() - shown:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text(source)
            _draw_grade(desk, source)
    titles = {
        e.source: e.title
        for e in desk.base.entries
        if e.source not in shown | desk.board.grades.keys()
    }
    key = keys.missing(desk.trace.id, desk.board.token)
    st.selectbox(
        "A note that is missing here and is relevant",
        list(titles),
        index=None,
        placeholder="choose a note",
        format_func=lambda source: visible(f"{titles[source]} – {source}"),
        key=key,
        disabled=desk.board.no_answer,
        on_change=_grade_missing,
        args=(desk, key),
    )
    st.checkbox(
        "No note answers this query",
        value=desk.board.no_answer,
        key=(key := keys.no_answer(desk.trace.id, desk.board.token)),
        disabled=any(desk.board.grades.values()),
        on_change=_mark_no_answer,
        args=(desk, key),
    )


def _draw_steps(position: int, count: int) -> None:
    with st.container(horizontal=True):
        st.button(
            "Previous",
            key=keys.PREVIOUS,
            disabled=position == 0,
            on_click=_go,
            args=(position - 1,),
        )
        st.button(
            "Next",
            key=keys.NEXT,
            type="primary",
            disabled=position == count - 1,
            on_click=_go,
            args=(position + 1,),
        )
        st.button("Back to the list", key=keys.END, on_click=_end)


def _grade(desk: _Desk, source: str, key: str) -> None:
    grade: Verdict | None = st.session_state[key]
    _write(
        lambda: give_verdict(
            desk.base, desk.board, source, grade, desk.judged_by, origin=desk.origin
        )
    )


def _grade_missing(desk: _Desk, key: str) -> None:
    source = st.session_state[key]
    if source is not None:
        _write(
            lambda: give_verdict(
                desk.base, desk.board, source, "relevant", desk.judged_by, origin=desk.origin
            )
        )


def _mark_no_answer(desk: _Desk, key: str) -> None:
    expected = bool(st.session_state[key])
    _write(
        lambda: say_no_answer(desk.base, desk.board, expected, desk.judged_by, origin=desk.origin)
    )


def _create(base: KnowledgeBase, name: str) -> None:
    _write(lambda: make_set(base, name))
    st.session_state[keys.SET] = name.strip()
    st.session_state[keys.NEW_SET] = ""


def _write(write: Callable[[], object]) -> None:
    try:
        write()
    except RetrievalError as error:
        st.session_state[keys.NOTICE] = error.info()


def _go(position: int) -> None:
    st.session_state[keys.POSITION] = position


def _end() -> None:
    st.session_state.pop(keys.QUEUE, None)


def _show_notice() -> None:
    notice = st.session_state.pop(keys.NOTICE, None)
    if isinstance(notice, ErrorInfo):
        show_error(notice)
