"""The script that `streamlit run` runs, for every session and at every interaction."""

from pathlib import Path

import streamlit as st

from workbench.views.frame import draw_sidebar
from workbench.views.style import apply_style

st.set_page_config(
    page_title="Knowledge lookup workbench",
    # A file of our own: Streamlit would fetch a named icon from the network.
    page_icon=Path(__file__).with_name("icon.svg"),
    layout="wide",
    initial_sidebar_state=232,
    menu_items={"Get help": None, "Report a bug": None, "About": None},
)
apply_style()
page = st.navigation(
    [
        st.Page("app_pages/query.py", title="Query", icon=":material/search:", default=True),
        st.Page("app_pages/evaluate.py", title="Evaluate", icon=":material/monitoring:"),
        st.Page("app_pages/traces.py", title="Traces", icon=":material/history:"),
        st.Page("app_pages/knowledge.py", title="Knowledge", icon=":material/library_books:"),
        st.Page("app_pages/settings.py", title="Settings", icon=":material/tune:"),
    ]
)
page.run()
with st.sidebar:
    draw_sidebar()
