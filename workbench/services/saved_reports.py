"""Reports that `eval run --out` wrote, read back and held against another."""

from pathlib import Path

from eval_sets.report import build_difference, compare_reports, load_report, report_from_json
from eval_sets.report.document import Document
from eval_sets.results import Report


def read_upload(data: bytes, name: str) -> Report:
    """The report in an uploaded file. Raises `InvalidInput` when it holds none."""
    return report_from_json(data, name=name)


def read_path(text: str) -> Report:
    """The report in a file, or in a folder with a `report.json`. Raises `InvalidInput`."""
    return load_report(Path(text.strip()).expanduser())


def compare_with_saved(
    saved: Report, report: Report, *, name: str, variants: tuple[str, str] | None
) -> Document:
    """What changed from the saved report (A) to this one (B).

    `variants` names one of each; None compares those of the same name. Raises `InvalidInput` when
    the two cannot be compared.
    """
    compared = compare_reports(saved, report, variants=variants)
    return build_difference(compared, names=(name, "this run"))


def share_names(saved: Report, report: Report) -> bool:
    """True when the reports can be paired without naming variants."""
    first, second = ({v.name for v in each.variants} for each in (saved, report))
    return bool(first & second) or len(first) == len(second) == 1
