"""The document of a calibration."""

from pydantic import TypeAdapter

from eval_sets.calibrating import CalibrationReport
from eval_sets.report.document import Document, Section, Table, columns, sections
from eval_sets.report.no_answer import account_section
from eval_sets.report.wording import number
from retrieval.types import Json


def build_calibration(report: CalibrationReport) -> Document:
    """The thresholds, what they come from, and what they do on queries that they have not seen."""
    calibration = report.calibration
    thresholds = calibration.thresholds
    stored = f"Stored in {report.path}." if report.path else "Not stored."
    if report.is_worse:
        stored = "Not stored: on `test` they separate worse than the thresholds before."
    facts = {
        "bias": number(thresholds.bias),
        "weight of the cosine": number(thresholds.cosine_weight),
        "weight of the coverage": number(thresholds.coverage_weight),
        "weight of the overlap": number(thresholds.overlap_weight),
        "strong from confidence": number(thresholds.strong),
        "moderate from confidence": number(thresholds.moderate),
        "semantic floor (cosine)": number(calibration.semantic_floor),
        "AUROC on dev": number(calibration.auroc),
    }
    return Document(
        title=f"Calibration on {report.set_name}",
        subtitle=f"Set {report.set_digest}, index {report.index}, embedding {report.embedding}, "
        f"seed {report.seed}",
        sections=tuple(
            sections(
                Section(
                    title="Thresholds, from dev",
                    blocks=(
                        f"From {calibration.answerable} queries with an answer and "
                        f"{calibration.unanswerable} without one; {calibration.skipped} could not "
                        f"be used. {stored}",
                        Table(columns=columns("threshold", "#value"), rows=tuple(facts.items())),
                    ),
                ),
                account_section(
                    {"before": report.before, "calibrated": report.after},
                    title="What they do, on test",
                ),
            )
        ),
    )


def calibration_to_json(report: CalibrationReport) -> Json:
    """The whole calibration as JSON-safe values."""
    return TypeAdapter(CalibrationReport).dump_python(report, mode="json")
