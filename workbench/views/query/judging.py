"""Judging: a verdict on each block, a note that is missing, or that no note answers."""

from collections.abc import Callable, Collection

import streamlit as st

from retrieval.errors import RetrievalError
from retrieval.knowledge_base import KnowledgeBase
from workbench.presenters.markup import plain_label, plain_option
from workbench.presenters.numbers import counted
from workbench.services.judging import (
    VERDICTS,
    Board,
    give_verdict,
    judgeable_sets,
    make_set,
    open_board,
    say_no_answer,
)
from workbench.services.lookups import titles_of
from workbench.state import query as names
from workbench.state.query import block_key
from workbench.views.frame import show_error

JUDGED_SHOWN = 12
"""Judged notes that are not in the answer, at most."""


def judging_bar(base: KnowledgeBase, query: str) -> Board | None:
    """The choice of the set, and what it says about the query.

    None while there is no set, and with a message when it cannot be read: the answer stands.
    """
    try:
        return _draw_bar(base, query)
    except RetrievalError as error:
        show_error(error.info())
        return None


def _draw_bar(base: KnowledgeBase, query: str) -> Board | None:
    if (failed := st.session_state.pop(names.JUDGE_FAILED, None)) is not None:
        show_error(failed)
    sets = {found.name: found for found in judgeable_sets(base)}
    if (wanted := st.session_state.pop(names.JUDGE_WANTED, None)) in sets:
        st.session_state[names.JUDGE_SET] = wanted
    row = st.container(horizontal=True, vertical_alignment="center")
    name = row.selectbox(
        "Labelled set",
        list(sets),
        format_func=lambda name: plain_option(f"Judge into: {name}"),
        key=names.JUDGE_SET,
        label_visibility="collapsed",
        placeholder="No labelled set yet",
        width=230,
        persist_state="session",
    )
    board = None if name is None else open_board(sets[name], query)
    with row.popover("Judging", icon=":material/rule:", type="tertiary"):
        st.text_input(
            "Judged by",
            key=names.JUDGE_BY,
            placeholder="written beside your judgements",
            persist_state="session",
        )
        st.text_input("New set", key=names.JUDGE_NEW, placeholder="its name")
        st.button("Create set", key=names.JUDGE_CREATE, on_click=_create, args=(base,))
    if board is not None and not _by():
        row.caption("Not signed: say who judges under Judging.", width="content")
    if board is not None:
        st.session_state[names.JUDGE_NONE] = board.no_answer
        row.checkbox(
            "No note answers this",
            key=names.JUDGE_NONE,
            on_change=_change,
            args=(lambda: say_no_answer(base, board, st.session_state[names.JUDGE_NONE], _by()),),
        )
    return board


def draw_verdict(base: KnowledgeBase, board: Board, source: str, title: str) -> None:
    """The verdict on one note: what the set says, and buttons to change it."""
    key = block_key("judge", source)
    st.session_state[key] = board.verdict(source)
    st.segmented_control(
        f"Is {plain_label(title, limit=60)} relevant?",
        VERDICTS,
        format_func=str.capitalize,
        key=key,
        label_visibility="collapsed",
        on_change=_change,
        args=(lambda: give_verdict(base, board, source, st.session_state[key], _by()),),
    )


def draw_missing(base: KnowledgeBase, board: Board, shown: Collection[str]) -> None:
    """A note beside those `shown` that should have been found, to be added as relevant."""
    titles = titles_of(base)
    judged = [source for source in board.grades if source not in shown]
    rest = len(judged) - JUDGED_SHOWN
    with st.expander("A note is missing"):
        row = st.container(horizontal=True, vertical_alignment="bottom")
        row.selectbox(
            "Note",
            [source for source in titles if source not in shown],
            index=None,
            format_func=lambda source: plain_option(f"{titles[source]} · {source}"),
            key=names.JUDGE_MISSING,
            placeholder="Choose the note that answers",
        )
        row.button(
            "Add as relevant",
            key=names.JUDGE_ADD,
            disabled=st.session_state.get(names.JUDGE_MISSING) is None,
            on_click=_change,
            args=(
                lambda: give_verdict(
                    base, board, st.session_state[names.JUDGE_MISSING], "relevant", _by()
                ),
            ),
        )
    for source in judged[:JUDGED_SHOWN]:
        row = st.container(
            horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
        )
        with row:
            st.text(f"Judged, not in the answer: {titles.get(source, source)}")
            draw_verdict(base, board, source, titles.get(source, source))
    if rest > 0:
        st.caption(f"{counted(rest, 'more judged note')} not in the answer")


def _change(write: Callable[[], None]) -> None:
    """Writes a judgement; what goes wrong is shown when the page is drawn again."""
    try:
        write()
    except RetrievalError as error:
        st.session_state[names.JUDGE_FAILED] = error.info()


def _create(base: KnowledgeBase) -> None:
    def create() -> None:
        folder = make_set(base, st.session_state[names.JUDGE_NEW])
        st.session_state[names.JUDGE_WANTED] = folder.name
        st.session_state[names.JUDGE_NEW] = ""

    _change(create)


def _by() -> str:
    return str(st.session_state.get(names.JUDGE_BY) or "").strip()
