"""A report: headline, findings, and one part of it at a time."""

from typing import cast

import streamlit as st

from eval_sets.report import overview
from retrieval.knowledge_base import KnowledgeBase
from workbench.presenters.headline import present_headline, present_subtitle
from workbench.presenters.markup import plain_label
from workbench.presenters.report_parts import PARTS, PartName, present_part, present_sentences
from workbench.services.evaluating import Evaluated
from workbench.state import evaluate as names
from workbench.views.evaluate.downloads import draw_downloads
from workbench.views.evaluate.parts import draw_parts
from workbench.views.evaluate.queries import draw_queries
from workbench.views.evaluate.saved import draw_saved

QUERIES, SAVED = "Queries", "Saved report"


def draw_report(base: KnowledgeBase, done: Evaluated) -> None:
    """The report from its headline down."""
    report = done.report
    row = st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    )
    row.caption(plain_label(present_subtitle(report), limit=400))
    draw_downloads(row, report)
    for note in done.notes:
        st.warning(plain_label(note, limit=600), icon=":material/info:")
    for column, card in zip(
        st.columns(len(present_headline(report)), gap="small"),
        present_headline(report),
        strict=True,
    ):
        column.html(card)
    st.html(present_sentences(overview.findings(report).blocks))
    section = st.segmented_control(
        "Part of the report",
        [PARTS[0], QUERIES, *PARTS[1:], SAVED],
        default=PARTS[0],
        required=True,
        key=names.SECTION,
        persist_state="session",
        label_visibility="collapsed",
    )
    if section == QUERIES:
        draw_queries(base, done)
    elif section == SAVED:
        draw_saved(report)
    elif section is not None:
        draw_parts(present_part(report, cast(PartName, section)))
