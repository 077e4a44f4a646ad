"""Sections of a report with their tables and charts."""

from collections.abc import Iterable

import streamlit as st

from eval_sets.report.document import Figure
from workbench.presenters.markup import plain_label
from workbench.presenters.report_parts import Part


def draw_parts(parts: Iterable[Part]) -> None:
    """Sections with their tables and charts, in order."""
    for part in parts:
        if part.title:
            st.subheader(plain_label(part.title), anchor=False)
        for block in part.blocks:
            if isinstance(block, Figure):
                draw_figure(block)
            else:
                st.html(block)


def draw_figure(figure: Figure) -> None:
    """A chart with its title above and what it shows below."""
    from eval_sets.report.charts import to_chart

    st.markdown(f"**{plain_label(figure.title)}**")
    st.altair_chart(to_chart(figure), theme=None, width="content", alt=figure.caption)
    st.caption(plain_label(figure.caption, limit=600))
