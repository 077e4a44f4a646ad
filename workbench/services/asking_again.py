"""One query of a report asked again, with the settings of two of its variants."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from eval_sets.harness import UNCUT_DEPTH
from eval_sets.metrics import depth
from eval_sets.ragas_metrics import is_ragas
from eval_sets.results import Report
from eval_sets.running import INDEX_MISSING, lookup_fault
from eval_sets.types import Case, Variant
from eval_sets.variants import open_variant
from retrieval.knowledge_base import KnowledgeBase
from retrieval.types import LookupResult
from workbench.services.evaluating import Evaluated, opened_base


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The answers of two variants to one query, as the metrics see them: without excluded notes."""

    case: Case
    left: LookupResult
    right: LookupResult
    changed: bool
    """True when notes, index or settings are not those of the report any more."""
    titles: Mapping[str, str]
    """Labelled source → title, of those that are still notes."""


def ask_again(base: KnowledgeBase, done: Evaluated, case_id: str, left: str, right: str) -> Pair:
    """Asks one query as the run did, as deep and with the same settings; nothing is recorded.

    Raises `KeyError` for a case or variant that the report does not have, and what opening the
    notes raises.
    """
    report = done.report
    case = report.cases_by_id[case_id]
    variants = {variant.name: variant for variant in report.variants}
    before = {row.variant: row.fingerprint for row in report.rows if row.case_id == case_id}
    with opened_base(base, done.knowledge_base) as knowledge:
        results = {
            name: _ask(knowledge, variants[name], case, _depth(report)) for name in {left, right}
        }
        titles = {e.source: e.title for e in knowledge.entries if e.source in case.relevant}
    return Pair(
        case=case,
        titles=titles,
        left=results[left],
        right=results[right],
        changed=any(
            mark is not None and mark != results[name].fingerprint
            for name, mark in before.items()
            if name in results
        ),
    )


def _ask(base: KnowledgeBase, variant: Variant, case: Case, deep: int) -> LookupResult:
    with ExitStack() as stack:
        state: Path | None = None
        if variant.fault == INDEX_MISSING:
            state = Path(stack.enter_context(TemporaryDirectory(prefix="lookup-eval-")))
        kb = stack.enter_context(open_variant(base, variant, state_dir=state))
        own_top_k = "top_k" in dict(variant.settings.get("lookup") or {})
        top_k = None if own_top_k else deep + len(case.exclude)
        result = kb.lookup(case.query, fault=lookup_fault(variant.fault), top_k=top_k)
    kept = tuple(block for block in result.evidence_blocks if block.source not in case.exclude)
    return replace(result, evidence_blocks=kept)


def _depth(report: Report) -> int:
    """Blocks that the run asked for, besides the excluded ones."""
    ranked = [metric for metric in report.metrics if not is_ragas(metric)]
    return depth(ranked) or UNCUT_DEPTH
