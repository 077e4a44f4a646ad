"""The page Query: ask, see the answer and how it came about, compare, judge."""

import streamlit as st

from retrieval.knowledge_base import KnowledgeBase
from retrieval.text import is_blank
from workbench.caching import folder_state, keep
from workbench.launch import Launch
from workbench.presenters.markup import plain_label
from workbench.services.lookups import default_choice, example_queries, offer_filters
from workbench.state import query as names
from workbench.views.frame import draw_index_notice, draw_page
from workbench.views.query.answer import draw_answer
from workbench.views.query.compare import draw_comparison
from workbench.views.query.controls import draw_filters, draw_query_box, draw_settings
from workbench.views.query.link import read_page, write_link
from workbench.views.query.runs import run_lookup


def draw_query_page() -> None:
    """Draws the page: its controls first, the answer when notes and index are open."""
    draw_page("Query", _draw)


def _draw(base: KnowledgeBase, launch: Launch) -> None:
    defaults = default_choice(base.settings.lookup)
    read_page(defaults)
    again = draw_query_box()
    sides = names.SIDES if st.session_state[names.COMPARE] else names.SIDES[:1]
    slots = [draw_settings(side, labelled=len(sides) > 1) for side in sides]
    with st.spinner("Opening notes and index…"):
        fingerprint = base.fingerprint
        state = fingerprint.index or folder_state(base)
        offer = keep(base, "filters", lambda: offer_filters(base.entries), state=state)
    for side, slot in zip(sides, slots, strict=True):
        with slot:
            draw_filters(side, offer)
    page = write_link()
    if problems := st.session_state.get(names.PROBLEMS):
        said = f"Parts of the link cannot be used and were left out: {' '.join(problems)}"
        st.warning(plain_label(said, limit=600), icon=":material/link_off:")
    draw_index_notice(base, launch)
    if is_blank(page.query):
        st.caption("Ask in a full question or phrase, as an agent would. Enter runs it.")
        _draw_examples(base)
        return
    with st.spinner("Looking up…"):
        results = [
            run_lookup(base, page.query, choice, state=(fingerprint, state), again=again)
            for choice in ((page.choice, page.other) if page.compare else (page.choice,))
        ]
    if page.compare:
        draw_comparison(base, launch, page, results[0], results[1])
    else:
        draw_answer(base, launch, page, results[0])


def _draw_examples(base: KnowledgeBase) -> None:
    """Titles of notes as queries to start with."""
    row = st.container(horizontal=True, vertical_alignment="center")
    titles = example_queries(base.entries, len(names.EXAMPLES))
    for key, title in zip(names.EXAMPLES, titles, strict=False):
        row.button(plain_label(title, limit=60), key=key, on_click=_ask, args=(title,))


def _ask(query: str) -> None:
    st.session_state[names.TEXT] = query
