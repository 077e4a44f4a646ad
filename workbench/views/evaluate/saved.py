"""A saved report beside this one."""

import streamlit as st

from eval_sets.results import Report
from retrieval.errors import InvalidInput
from workbench.presenters.markup import plain_option
from workbench.presenters.report_parts import present_section
from workbench.services.saved_reports import (
    compare_with_saved,
    read_path,
    read_upload,
    share_names,
)
from workbench.state import evaluate as names
from workbench.views.evaluate.parts import draw_parts
from workbench.views.frame import show_error


def draw_saved(report: Report) -> None:
    """Where to find the saved report, and what changed since it; or why it is none."""
    upload, path = st.columns(2, gap="medium")
    file = upload.file_uploader(
        "Report that `eval run --out` wrote", type=["json"], key=names.SAVED_FILE
    )
    typed = path.text_input(
        "Or its path on this computer",
        key=names.SAVED_PATH,
        persist_state="session",
        placeholder="report.json, or the folder that holds it",
        disabled=file is not None,
    )
    try:
        if file is not None:
            saved, name = _kept(file.file_id, file.getvalue(), file.name), file.name
        elif typed.strip():
            saved, name = read_path(typed), typed.strip()
        else:
            st.caption("The saved report is A, this run is B.")
            return
        _draw_difference(saved, report, name)
    except InvalidInput as error:
        show_error(error.info())


def _draw_difference(saved: Report, report: Report, name: str) -> None:
    variants = None
    if not share_names(saved, report):
        st.caption("No variant is in both: choose one of each.")
        columns = st.columns(2, gap="medium")
        variants = (
            columns[0].selectbox(
                "Variant of the saved report",
                [v.name for v in saved.variants],
                format_func=plain_option,
                key=names.SAVED_A,
            ),
            columns[1].selectbox(
                "Variant of this run",
                [v.name for v in report.variants],
                format_func=plain_option,
                key=names.SAVED_B,
            ),
        )
    document = compare_with_saved(saved, report, name=name, variants=variants)
    draw_parts(present_section(section) for section in document.sections)


def _kept(mark: str, data: bytes, name: str) -> Report:
    """The uploaded report, read once however often the page is drawn."""
    kept: tuple[str, Report] | None = st.session_state.get(names.SAVED)
    if kept is None or kept[0] != mark:
        kept = st.session_state[names.SAVED] = (mark, read_upload(data, name))
    return kept[1]
