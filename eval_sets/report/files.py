"""Reports on disk: JSON that can be read back, rows as CSV, Markdown, and an HTML page."""

from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, ValidationError

from eval_sets.report.building import build_document
from eval_sets.report.gated import Gate
from eval_sets.results import Report
from retrieval.atomic import write_atomic
from retrieval.errors import InvalidInput, MissingExtra
from retrieval.reading import read_regular
from retrieval.types import Json

Format = Literal["json", "csv", "markdown", "html"]
FORMATS: tuple[Format, ...] = get_args(Format)
_NAMES: Mapping[Format, str] = {
    "json": "report.json",
    "csv": "rows.csv",
    "markdown": "report.md",
    "html": "report.html",
}
_LIBRARIES: Mapping[Format, Sequence[str]] = {
    "csv": ("pandas",),
    "html": ("altair", "jinja2", "vl_convert"),
}
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class ReportFile(BaseModel, extra="forbid"):
    """What a JSON report holds."""

    schema_version: Literal["1"] = "1"
    report: Report
    gate: Json = None
    """What a comparison with a baseline found, where there was one."""


def report_to_json(report: Report, *, gate: Gate | None = None) -> Json:
    """The whole report as JSON-safe values."""
    return _file(report, gate).model_dump(mode="json")


def report_from_json(text: str | bytes, *, name: str = "report") -> Report:
    """The report in a JSON text. Raises `InvalidInput` when it holds none."""
    try:
        return ReportFile.model_validate_json(text).report
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
        data = read_regular(file)
    except ValueError as error:
        raise InvalidInput(
            f"{file} cannot be read: {error}.",
            next_action="Write a report with: lookup-knowledge eval run SET --out DIR",
        ) from None
    return report_from_json(data, name=str(file))


def report_to_csv(report: Report) -> str:
    """One line for each query and variant, as in `Report.to_frame`; what is missing is empty.

    A text that a spreadsheet would run as a formula has a quote before it. Raises `MissingExtra`
    without the extra `eval`.
    """
    # Without whole-number columns of its own, pandas writes a count as 3.0 beside a missing one.
    frame = report.to_frame().convert_dtypes()
    text: str = frame.map(_safe).to_csv(index=False, lineterminator="\n")
    return text


def check_formats(names: Sequence[str], *, printed: bool = False) -> tuple[Format, ...]:
    """The formats of these names, before any work is done for them; for none all that can be made.

    With `printed`, at most one, and none for none. Raises `InvalidInput` for an unknown name,
    `MissingExtra` when a named format needs a library that is not there.
    """
    chosen = tuple(form for form in FORMATS if form in names)
    unknown = [name for name in names if name not in FORMATS]
    if unknown or (printed and len(chosen) > 1):
        raise InvalidInput(
            f"There is no format {unknown[0]!r}." if unknown else "Only one format can be printed.",
            next_action=f"Formats: {', '.join(FORMATS)}; several need --out.",
        )
    if not names and not printed:
        return tuple(form for form in FORMATS if _is_possible(form))
    for form in chosen:
        if not _is_possible(form):
            raise missing_for(form)
    return chosen


def missing_for(*formats: Format) -> MissingExtra:
    """The error that says what reports in these formats need."""
    return MissingExtra(f"A report as {' or '.join(formats)}", "eval")


def save_report(
    report: Report,
    folder: Path,
    *,
    formats: Iterable[Format] = FORMATS,
    gate: Gate | None = None,
) -> tuple[Path, ...]:
    """Writes the report into a folder, one file for each format, and says which.

    Raises `MissingExtra` for CSV and the HTML page without the extra `eval`.
    """
    written = []
    for form in dict.fromkeys(formats):
        path = folder / _NAMES[form]
        write_atomic(path, render(report, form, gate=gate))
        written.append(path)
    return tuple(written)


def render(report: Report, form: Format, *, gate: Gate | None = None) -> str:
    """The report in one format, as text."""
    if form == "json":
        return _file(report, gate).model_dump_json() + "\n"
    if form == "csv":
        return report_to_csv(report)
    document = build_document(report, gate=gate)
    if form == "markdown":
        from eval_sets.report.markdown import to_markdown

        return to_markdown(document)
    from eval_sets.report.html import to_html

    return to_html(document)


def _is_possible(form: Format) -> bool:
    return all(find_spec(library) for library in _LIBRARIES.get(form, ()))


def _file(report: Report, gate: Gate | None) -> ReportFile:
    return ReportFile(report=report, gate=None if gate is None else gate.to_dict())


def _safe(value: Any) -> Any:
    """The cell, with a quote before a text that a spreadsheet would run as a formula."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value
