"""The page's controls: the query box, and a row of settings for each side."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from retrieval.options import MOST_BLOCKS
from workbench.presenters.markup import plain_label, plain_option
from workbench.services.lookups import FilterOffer
from workbench.state import query as names
from workbench.state.query import side_key
from workbench.views.query.link import drop_unknown_filters

_LABELS = {
    "mode": {"l0+l1": "L0 + L1", "l1": "L1", "l0": "L0"},
    "filter_mode": {"auto": "auto", "strict": "strict", "off": "off"},
    "l1_mode": {"hybrid": "hybrid", "dense": "dense", "fulltext": "full text"},
}
_FAULTS = {
    "l1-raises": "L1 raises",
    "l1-timeout": "L1 times out",
    "l1-empty": "L1 returns nothing",
    "l1-off": "L1 is off",
}


def draw_query_box() -> bool:
    """The query box, and True when the same lookup is to be run once more."""
    row = st.container(horizontal=True, vertical_alignment="bottom")
    row.text_input(
        "Query",
        key=names.TEXT,
        label_visibility="collapsed",
        placeholder="What would you look up?",
        icon=":material/search:",
    )
    again = row.button("Run", key=names.RUN, type="primary", help="Run the lookup once more")
    row.toggle("Compare", key=names.COMPARE, help="Run two settings on the same query")
    return bool(again)


def draw_settings(side: str, *, labelled: bool) -> DeltaGenerator:
    """The settings of one side; gives the place for its filters, which need the notes."""
    row = st.container(horizontal=True, vertical_alignment="bottom", key=f"kw-settings-{side}")
    if labelled:
        row.html(f'<b class="kw-side">{side.upper()}</b>', width="content")
    _segments(row, side, "mode", "Layers")
    _segments(row, side, "filter_mode", "Filter", "What the category that L0 derives does to L1")
    _segments(row, side, "l1_mode", "L1 search", "How L1 ranks: vectors and full text, or one")
    row.number_input(
        "Top k",
        min_value=1,
        max_value=MOST_BLOCKS,
        key=side_key(side, "top_k"),
        width=110,
    )
    row.selectbox(
        "Fault",
        list(_FAULTS),
        index=None,
        placeholder="none",
        format_func=_FAULTS.__getitem__,
        key=side_key(side, "fault"),
        width=150,
        help="Break L1 on purpose, to see what an agent would get",
    )
    return row.container(width="content")


def draw_filters(side: str, offer: FilterOffer) -> None:
    """The caller's filters, from the metadata that the notes have, and the least cosine."""
    key = side_key(side, "filters")
    notes = {(v.key, v.value): v.notes for v in offer.values}
    drop_unknown_filters(side, list(notes))
    active = len(st.session_state[key]) + (
        st.session_state.get(side_key(side, "min_score")) is not None
    )
    with st.popover(f"Filters ({active})" if active else "Filters", icon=":material/filter_alt:"):
        st.multiselect(
            "Only notes with",
            list(notes),
            format_func=lambda pair: plain_option(f"{pair[0]}: {pair[1]} ({notes[pair]})"),
            key=key,
            placeholder="Any field and value",
            help="Values of one field are alternatives; different fields must all hold.",
        )
        st.number_input(
            "Least cosine",
            min_value=-1.0,
            max_value=1.0,
            step=0.05,
            value=None,
            key=side_key(side, "min_score"),
            placeholder="none",
            help="Passages of L1 below it are left out",
        )
        if offer.left_out:
            st.caption(
                f"Too many values to list: {plain_label(', '.join(offer.left_out), limit=200)}"
            )


def _segments(
    row: DeltaGenerator, side: str, name: str, label: str, tip: str | None = None
) -> None:
    options = _LABELS[name]
    row.segmented_control(
        label,
        list(options),
        format_func=options.__getitem__,
        key=side_key(side, name),
        required=True,
        help=tip,
    )
