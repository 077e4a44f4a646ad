"""What a curator should correct, by rule."""

import streamlit as st

from workbench.presenters.markup import plain_label
from workbench.presenters.notes import findings_table, group_findings
from workbench.services.notes import Survey, Use, rule_reasons
from workbench.state import knowledge as keys

PAGE_SIZE = 25


def draw_health(survey: Survey, use: Use) -> None:
    """Draws the rules that found something, and the findings of the chosen one."""
    groups = {group.rule: group for group in group_findings(survey.findings, rule_reasons())}
    if not groups:
        st.caption("Nothing to correct.")
        return
    left, right = st.columns([1, 3], gap="large")
    with left:
        rule = st.radio(
            "Rule",
            list(groups),
            format_func=lambda name: plain_label(groups[name].label),
            key=keys.RULE,
            on_change=_first_page,
        )
        st.caption(
            f"Checked against {use.recorded:,} recorded and {use.labelled:,} labelled queries."
        )
    group = groups[rule]
    with right:
        st.text(group.why)
        count = len(group.findings)
        number = 1
        if count > PAGE_SIZE:
            number = st.pagination(-(-count // PAGE_SIZE), key=keys.RULE_PAGE)
        first = (number - 1) * PAGE_SIZE
        st.html(findings_table(group.findings[first : first + PAGE_SIZE]))


def _first_page() -> None:
    st.session_state[keys.RULE_PAGE] = 1
