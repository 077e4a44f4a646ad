"""The page's state: from the URL to the widgets, and from the widgets to the URL."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from retrieval.text import fold
from workbench.services.lookups import LookupChoice
from workbench.state import query as names
from workbench.state import shell
from workbench.state.query import QueryState, from_url, side_key, to_url

Url = dict[str, list[str]]


def read_page(defaults: LookupChoice) -> None:
    """Gives the widgets their values before they are drawn.

    A URL that the page did not write (opened, followed, gone back to) wins; else the widgets
    keep what they have, and what they had when the user comes back from another page.
    """
    session = st.session_state
    kept: QueryState | None = session.get(names.KEPT)
    url = _url()
    came_from_elsewhere = session.get(shell.PAGE) != "Query"
    if kept is None or (url != session.get(names.URL_SEEN) and (url or not came_from_elsewhere)):
        state, session[names.PROBLEMS] = from_url(url, defaults)
        session[names.URL_SEEN] = url
        _fill(state)
        if by := url.get(names.BY_PARAMETER):
            session[names.JUDGE_BY] = by[-1]
    elif names.TEXT not in session:
        _fill(kept)


def write_link() -> QueryState:
    """The state that the widgets show now, which the URL says from now on."""
    session = st.session_state
    kept: QueryState | None = session.get(names.KEPT)
    state = QueryState(
        query=session[names.TEXT] or "",
        choice=_choice("a"),
        other=_choice("b") if session[names.COMPARE] else (kept or QueryState()).other,
        compare=bool(session[names.COMPARE]),
    )
    url = to_url(state)
    if by := str(session.get(names.JUDGE_BY) or "").strip():
        url[names.BY_PARAMETER] = [by]  # so that it is there again when the page is loaded anew
    # Before the first question the URL stays as it came.
    if (url or session.get(names.URL_SEEN)) and url != _url():
        st.query_params.from_dict(url)
    if state != kept:  # the user went on from what the link asked for
        session[names.PROBLEMS] = ()
    session[names.URL_SEEN] = _url()
    session[names.KEPT] = state
    return state


def drop_unknown_filters(side: str, offered: Sequence[tuple[str, str]]) -> None:
    """Takes out what no note has, which a link may ask for, and says so; before they are drawn.

    Fields and values compare folded.
    """
    session = st.session_state
    key = side_key(side, "filters")
    folded = {(fold(name), fold(value)): (name, value) for name, value in offered}
    known, problems = [], []
    for name, value in session.get(key, ()):
        match = folded.get((fold(name), fold(value)))
        if match is None:
            problems.append(f"where={name}={value} fits no note.")
        elif match not in known:
            known.append(match)
    session[key] = known
    if problems:
        session[names.PROBLEMS] = (*session.get(names.PROBLEMS, ()), *problems)
        kept: QueryState = session[names.KEPT]
        changed = _choice(side)
        session[names.KEPT] = (
            replace(kept, choice=changed) if side == "a" else replace(kept, other=changed)
        )


def _url() -> Url:
    return {name: st.query_params.get_all(name) for name in st.query_params}


def _fill(state: QueryState) -> None:
    session = st.session_state
    session[names.TEXT] = state.query
    session[names.COMPARE] = state.compare
    session[names.KEPT] = state
    _fill_side("a", state.choice)
    _fill_side("b", state.other)


def _fill_side(side: str, choice: LookupChoice) -> None:
    for name in names.FIELDS:
        value: Any = getattr(choice, name)
        if name == "filters":
            value = [(key, v) for key, values in choice.filters.items() for v in values]
        st.session_state[side_key(side, name)] = value


def _choice(side: str) -> LookupChoice:
    session = st.session_state
    kept = session.get(names.KEPT) or QueryState()
    choice: LookupChoice = kept.choice if side == "a" else kept.other
    # A segmented control that was clicked off has no value: it stays as it was.
    found = {
        name: value
        for name in names.FIELDS
        if name != "filters" and side_key(side, name) in session
        if (value := session[side_key(side, name)]) is not None or name in ("min_score", "fault")
    }
    filters: dict[str, tuple[str, ...]] = {}
    for key, value in session.get(side_key(side, "filters"), ()):
        filters[key] = (*filters.get(key, ()), value)
    return replace(choice, **found, filters=filters)
