"""From a run's report to the document that every surface draws."""

from eval_sets.report import closing, contract, overview
from eval_sets.report.document import Document, sections
from eval_sets.report.gated import Gate, gating
from eval_sets.report.no_answer import no_answer
from eval_sets.results import Report


def build_document(report: Report, *, gate: Gate | None = None) -> Document:
    """The whole report, most important first; parts without content are left out."""
    split = f", split {report.split}" if report.split else ""
    return Document(
        title=f"Evaluation of {report.set_name}",
        subtitle=f"{len(report.cases)} queries{split}; variants "
        f"{', '.join(variant.name for variant in report.variants)}",
        sections=tuple(
            sections(
                overview.findings(report, gate),
                overview.scores(report),
                overview.comparisons(report),
                overview.strata(report),
                contract.filtering(report),
                contract.fallback(report),
                contract.merging(report),
                no_answer(report),
                closing.failures(report),
                closing.latency(report),
                gating(gate, report.cases_by_id),
                closing.provenance(report),
            )
        ),
    )
