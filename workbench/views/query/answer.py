"""One answer: how it came about on the left, the evidence on the right."""

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import TypeVar

import streamlit as st

from retrieval.knowledge_base import KnowledgeBase
from retrieval.types import ErrorInfo, EvidenceBlock, LookupResult
from workbench.launch import Launch
from workbench.presenters.answer import present_flow, present_head, present_timings
from workbench.presenters.cards import present_cards
from workbench.presenters.copying import as_command, as_json, as_python
from workbench.presenters.decision import present_decision
from workbench.presenters.hints import present_hints
from workbench.services.judging import Board
from workbench.services.lookups import titles_of
from workbench.state import query as names
from workbench.state.query import QueryState, block_key, near_key
from workbench.views.frame import show_error, show_warning
from workbench.views.query.absence import draw_absence
from workbench.views.query.judging import draw_missing, draw_verdict, judging_bar
from workbench.views.query.note import open_note

NOTES_SHOWN = 10
COPY_WIDTH = 560
"""Pixels."""

_Note = TypeVar("_Note")


def draw_answer(
    base: KnowledgeBase, launch: Launch, page: QueryState, result: LookupResult
) -> None:
    """Draws everything that one lookup says."""
    left, right = st.columns([0.36, 0.64], gap="medium")
    with left:
        draw_process(base, result, names.SIDES[0])
        draw_absence(base, page, (result,))
    with right:
        _draw_head(page, launch, result)
        board = None if launch.read_only or result.error else judging_bar(base, page.query)
        _draw_blocks(base, board, result)
        if board is not None:
            draw_missing(base, board, {block.source for block in result.evidence_blocks})


def draw_process(base: KnowledgeBase, result: LookupResult, side: str) -> None:
    """L0's hints, the filter decision, the counts and the timings."""
    panel = present_hints(result)
    with st.container(border=True):
        st.subheader("L0 hints", anchor=False)
        st.html(panel.query)
        if panel.facts:
            st.html(panel.facts)
        st.html(panel.matches)
        if panel.near_label:
            with st.expander(panel.near_label, key=near_key(side)):
                st.html(panel.near)
    with st.container(border=True):
        st.subheader("Filter decision", anchor=False)
        st.html(present_decision(result, titles_of(base)))
    with st.container(border=True):
        st.subheader("Merge", anchor=False)
        st.html(present_flow(result))
        st.html(present_timings(result))


def draw_head(result: LookupResult, said: Collection[ErrorInfo] = ()) -> None:
    """Outcome, layer and relevance; then the errors and warnings of the lookup but for `said`."""
    st.html(present_head(result))
    if result.error is not None:
        show_error(result.error)
    for warning in result.warnings:
        # Of a stale index, the notice above the answer speaks, with a button.
        if warning.code != "index_stale" and warning not in said:
            show_warning(warning)


def _draw_head(page: QueryState, launch: Launch, result: LookupResult) -> None:
    head, copy = st.columns([0.82, 0.18])
    with head:
        draw_head(result)
    with copy, st.popover("Copy", icon=":material/content_copy:", width="stretch"):
        place = st.container(width=COPY_WIDTH)
        place.caption("Command")
        place.code(as_command(page.query, page.choice, launch.kb), language="bash", wrap_lines=True)
        place.caption("Python")
        place.code(as_python(page.query, page.choice, launch.kb), wrap_lines=True)
        place.caption("JSON of the answer")
        place.code(as_json(result), language="json", height=200)


def _draw_blocks(base: KnowledgeBase, board: Board | None, result: LookupResult) -> None:
    blocks = result.evidence_blocks
    if not blocks and result.error is None:
        st.info(
            "No note fits. An agent is told so, and to say it rather than guess.",
            icon=":material/search_off:",
        )
    cards = present_cards(blocks, result.query)
    for card, block in draw_some(zip(cards, blocks, strict=True), len(blocks)):
        with st.container(border=True):
            st.html(card.html)
            draw_actions(base, board, block)


def draw_some(notes: Iterable[_Note], total: int) -> Iterator[_Note]:
    """The first notes, to be drawn in turn, or all; then the switch to all where it is needed."""
    shown = total if st.session_state.get(names.MORE_BLOCKS) else NOTES_SHOWN
    yield from islice(notes, shown)
    if total > NOTES_SHOWN:
        st.toggle(f"Show all {total} notes", key=names.MORE_BLOCKS)


def draw_actions(base: KnowledgeBase, board: Board | None, block: EvidenceBlock) -> None:
    """The verdict on a note where a set is chosen, and the button that opens it."""
    row = st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    )
    with row:
        if board is not None:
            draw_verdict(base, board, block.source, block.title)
        if st.button(
            "Open note",
            key=block_key("open", block.source),
            icon=":material/article:",
            type="tertiary",
        ):
            open_note(base, block)
