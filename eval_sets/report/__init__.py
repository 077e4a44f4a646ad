"""Reports for people and programs: terminal, Markdown, HTML, JSON and CSV, all from one document.

Importing this is light; the charts of the HTML page need the extra `eval`.
"""

from eval_sets.report.answerability import answerability_to_json, build_answerability
from eval_sets.report.building import build_document
from eval_sets.report.calibrated import build_calibration, calibration_to_json
from eval_sets.report.difference import build_difference
from eval_sets.report.differing import Move, ReportComparison, compare_reports
from eval_sets.report.document import Document
from eval_sets.report.files import (
    FORMATS,
    Format,
    check_formats,
    load_report,
    render,
    report_from_json,
    report_to_csv,
    report_to_json,
    save_report,
)
from eval_sets.report.gated import Gate
from eval_sets.report.html import to_html
from eval_sets.report.markdown import to_markdown
from eval_sets.report.terminal import print_document

__all__ = [
    "FORMATS",
    "Document",
    "Format",
    "Gate",
    "Move",
    "ReportComparison",
    "answerability_to_json",
    "build_answerability",
    "build_calibration",
    "build_difference",
    "build_document",
    "calibration_to_json",
    "check_formats",
    "compare_reports",
    "load_report",
    "print_document",
    "render",
    "report_from_json",
    "report_to_csv",
    "report_to_json",
    "save_report",
    "to_html",
    "to_markdown",
]
