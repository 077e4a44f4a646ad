"""The queries of a report, and one of them asked again with both variants."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from eval_sets.results import Report
from retrieval.knowledge_base import KnowledgeBase
from workbench.presenters.comparing import align, summarise
from workbench.presenters.markup import plain_label, plain_option
from workbench.presenters.numbers import DASH, counted
from workbench.presenters.paired import present_labels, present_pair
from workbench.presenters.query_lines import QueryLine, present_lines
from workbench.services.asking_again import Pair, ask_again
from workbench.services.evaluating import Evaluated
from workbench.state import evaluate as names
from workbench.views.query.answer import draw_head

KEPT = 8
"""Pairs of a session that are kept to be drawn again."""
HEIGHT = 330


def draw_queries(base: KnowledgeBase, done: Evaluated) -> None:
    """The table, and below it the query that was chosen in it."""
    report = done.report
    metric, left, right, strata, changed = _draw_choices(report)
    lines = present_lines(report, metric, left, right, strata=strata, changed=changed)
    if not lines:
        st.info("No query is left: change the strata, or show unchanged ones too.")
        return
    _draw_table(lines, left, right)
    chosen = _choose(lines)
    if chosen is not None:
        _draw_pair(base, done, chosen, left, right)


def _draw_choices(report: Report) -> tuple[str, str, str, list[str], bool]:
    variants = [variant.name for variant in report.variants]
    _forget(names.METRIC, report.metrics)
    _forget(names.LEFT, variants)
    _forget(names.RIGHT, variants)
    kept = st.session_state.get(names.QUERY_STRATA)
    if kept and not set(kept) <= set(report.strata):
        del st.session_state[names.QUERY_STRATA]
    columns = st.columns([2, 3, 3, 3, 2], gap="small", vertical_alignment="bottom")
    metric = columns[0].selectbox(
        "Metric", report.metrics, key=names.METRIC, persist_state="session"
    )
    left = columns[1].selectbox(
        "Left",
        variants,
        index=variants.index(report.baseline),
        format_func=plain_option,
        key=names.LEFT,
        persist_state="session",
    )
    others = [name for name in variants if name != report.baseline]
    right = columns[2].selectbox(
        "Right",
        variants,
        index=variants.index(others[0]) if others else 0,
        format_func=plain_option,
        key=names.RIGHT,
        persist_state="session",
    )
    strata = columns[3].multiselect(
        "Strata",
        report.strata,
        format_func=lambda name: plain_option(name or "(none)"),
        key=names.QUERY_STRATA,
        persist_state="session",
        placeholder="All",
    )
    changed = columns[4].toggle("Only changed", key=names.CHANGED, persist_state="session")
    return metric, left, right, strata, changed


def _draw_table(lines: Sequence[QueryLine], left: str, right: str) -> None:
    frame = pd.DataFrame(
        {
            "difference": [line.difference for line in lines],
            "left": [line.left for line in lines],
            "right": [line.right for line in lines],
            "rank_left": pd.array([line.rank_left for line in lines], dtype="Int64"),
            "rank_right": pd.array([line.rank_right for line in lines], dtype="Int64"),
            "query": [line.query for line in lines],
            "stratum": [line.stratum for line in lines],
            "case_id": [line.case_id for line in lines],
            "remark": [line.remark for line in lines],
        }
    ).astype({"difference": "float64", "left": "float64", "right": "float64"})
    ids = [line.case_id for line in lines]
    number = st.column_config.NumberColumn
    st.dataframe(
        frame,
        height=min(HEIGHT, 38 + 35 * len(lines)),
        hide_index=True,
        placeholder=DASH,
        column_config={
            "difference": number("change", format="%+.3f", width=80),
            "left": number(left, format="%.3f", width=95),
            "right": number(right, format="%.3f", width=95),
            "rank_left": number("rank", width=55, help=f"First relevant note with {left}"),
            "rank_right": number("→ rank", width=65, help=f"First relevant note with {right}"),
            "query": st.column_config.TextColumn("query", width=330),
            "stratum": st.column_config.TextColumn("stratum", width=110),
            "case_id": st.column_config.TextColumn("id", width=110),
            "remark": st.column_config.TextColumn("remark", width="medium"),
        },
        key=names.TABLE,
        on_select=lambda: _take_selection(ids),
        selection_mode="single-row",
        alt="Queries with their scores under both variants",
    )
    st.caption(
        f"{counted(len(lines), 'query', 'queries')}, largest loss of {plain_label(right)} first. "
        "Select a row, or choose below, to see both answers."
    )


def _take_selection(ids: Sequence[str]) -> None:
    rows = st.session_state[names.TABLE]["selection"]["rows"]
    if rows and rows[0] < len(ids):
        st.session_state[names.CASE] = ids[rows[0]]


def _choose(lines: Sequence[QueryLine]) -> QueryLine | None:
    by_id = {line.case_id: line for line in lines}
    _forget(names.CASE, list(by_id))
    chosen = st.selectbox(
        "Query to open",
        list(by_id),
        index=None,
        format_func=lambda key: plain_option(f"{key} · {by_id[key].query}"),
        key=names.CASE,
        persist_state="session",
        placeholder="Choose a query",
    )
    return by_id[chosen] if chosen else None


def _draw_pair(
    base: KnowledgeBase, done: Evaluated, line: QueryLine, left: str, right: str
) -> None:
    pair = _pair(base, done, line.case_id, left, right)
    st.subheader(plain_label(line.query, limit=300), anchor=False)
    st.caption(
        f"{plain_label(present_labels(pair.case))} Asked again now, as deep as in the run; "
        "not recorded."
    )
    if pair.changed:
        st.warning(
            "Notes, index or settings changed since the run: these answers may differ from it.",
            icon=":material/warning:",
        )
    heads = (f"A · {left}", f"B · {right}")
    for column, (name, result) in zip(
        st.columns(2, gap="medium"), zip(heads, (pair.left, pair.right), strict=True), strict=True
    ):
        with column:
            st.markdown(f"**{plain_label(name)}**")
            draw_head(result)
    st.caption(plain_label(summarise(align(pair.left, pair.right)), limit=300))
    st.html(present_pair(pair.case, pair.left, pair.right, names=heads, titles=pair.titles))


def _pair(base: KnowledgeBase, done: Evaluated, case_id: str, left: str, right: str) -> Pair:
    """Both answers, asked once however often the page is drawn."""
    pairs: dict[tuple[str, ...], Pair] = st.session_state.setdefault(names.PAIRS, {})
    key = (done.report.created_at, case_id, left, right)
    if key not in pairs:
        with st.spinner("Asking both variants …"):
            pairs[key] = ask_again(base, done, case_id, left, right)
    while len(pairs) > KEPT:
        del pairs[next(iter(pairs))]
    return pairs[key]


def _forget(key: str, options: Sequence[str]) -> None:
    """A choice that is none any more is dropped before its widget is drawn."""
    if st.session_state.get(key) not in (None, *options):
        del st.session_state[key]
