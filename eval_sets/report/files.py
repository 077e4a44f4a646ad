"""Reports on disk: JSON that can be read back, rows as CSV, Markdown, and an HTML page."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import TypeAdapter, ValidationError

from eval_sets.loading import write_atomic
from eval_sets.report.building import build_document
from eval_sets.results import Report
from retrieval.errors import InvalidInput
from retrieval.types import Json

Format = Literal["json", "csv", "markdown", "html"]
FORMATS: tuple[Format, ...] = get_args(Format)
_NAMES: Mapping[Format, str] = {
    "json": "report.json",
    "csv": "rows.csv",
    "markdown": "report.md",
    "html": "report.html",
}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def report_to_json(report: Report) -> Json:
    """The whole report as JSON-safe values."""
    return _adapter().dump_python(report, mode="json")


def report_from_json(text: str | bytes, *, name: str = "report") -> Report:
    """The report in a JSON text. Raises `InvalidInput` when it holds none."""
    try:
        return _adapter().validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise InvalidInput(
            f"{name} is no report of an evaluation: {where}: {first['msg']}.",
            next_action="Write one with: lookup-knowledge eval run SET --out DIR",
        ) from None


def load_report(path: Path) -> Report:
    """The report in a file, or in the `report.json` of a folder.

    Raises `InvalidInput` when there is none.
    """
    file = path / _NAMES["json"] if path.is_dir() else path
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InvalidInput(
            f"{file} cannot be read: {error.strerror}.",
            next_action="Write a report with: lookup-knowledge eval run SET --out DIR",
        ) from None
    return report_from_json(data, name=str(file))


def report_to_csv(report: Report) -> str:
    """One line for each query and variant, as in `Report.to_frame`; what is missing is empty.

    A text that a spreadsheet would run as a formula has a quote before it. Raises `MissingExtra`
    without the extra `eval`.
    """
    text: str = report.to_frame().map(_safe).to_csv(index=False, lineterminator="\n")
    return text


def save_report(
    report: Report, folder: Path, *, formats: Iterable[Format] = FORMATS
) -> tuple[Path, ...]:
    """Writes the report into a folder, one file for each format, and says which.

    Raises `MissingExtra` for CSV and the HTML page without the extra `eval`.
    """
    written = []
    for form in dict.fromkeys(formats):
        path = folder / _NAMES[form]
        write_atomic(path, render(report, form))
        written.append(path)
    return tuple(written)


def render(report: Report, form: Format) -> str:
    """The report in one format, as text."""
    if form == "json":
        return _adapter().dump_json(report).decode() + "\n"
    if form == "csv":
        return report_to_csv(report)
    document = build_document(report)
    if form == "markdown":
        from eval_sets.report.markdown import to_markdown

        return to_markdown(document)
    from eval_sets.report.html import to_html

    return to_html(document)


def _adapter() -> TypeAdapter[Report]:
    return TypeAdapter(Report)


def _safe(value: Any) -> Any:
    """The cell, with a quote before a text that a spreadsheet would run as a formula."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value
