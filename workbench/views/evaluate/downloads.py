"""The report as files, the same as `eval run --out` writes."""

from functools import partial

from streamlit.delta_generator import DeltaGenerator

from eval_sets.report import Format, check_formats, render
from eval_sets.results import Report
from retrieval.errors import MissingExtra
from workbench.presenters.markup import plain_label
from workbench.state import evaluate as names

_FILES: dict[Format, tuple[str, str, str]] = {
    "html": ("HTML", "report.html", "text/html"),
    "csv": ("CSV", "rows.csv", "text/csv"),
    "json": ("JSON", "report.json", "application/json"),
}


def draw_downloads(place: DeltaGenerator, report: Report) -> None:
    """A button for each format; one that needs a package says which. Files are made on a click."""
    row = place.container(horizontal=True, width="content")
    for form, (label, file_name, mime) in _FILES.items():
        try:
            check_formats([form])
        except MissingExtra as error:
            row.caption(plain_label(f"{label}: {error}"))
            continue
        row.download_button(
            label,
            data=partial(_render, report, form),
            file_name=file_name,
            mime=mime,
            key=names.download_key(form),
            icon=":material/download:",
            on_click="ignore",
        )


def _render(report: Report, form: Format) -> bytes:
    return render(report, form).encode("utf-8")
