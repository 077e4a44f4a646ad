"""How an answer came about: what each stage found, decided and left out."""

from retrieval.console.answer import number, place
from retrieval.console.page import Page
from retrieval.types import Candidate, Condition, L0Match, LookupResult, TermHit

MATCHES = 10
NEAR = 5
CANDIDATES = 10
PASSAGES = 5
_DROPPED = {
    "min_score": "below the least score",
    "top_k": "beyond top k",
    "budget": "beyond the budget",
}


def show_explanation(result: LookupResult, page: Page) -> None:
    """Write hints, filter, L1, merge, reasons of each block, timings and fingerprint."""
    _show_hints(result, page)
    _show_filter(result, page)
    _show_l1(result, page)
    _show_merge(result, page)
    _show_blocks(result, page)
    timings = ", ".join(f"{name} {value:.1f} ms" for name, value in result.timings_ms.items())
    page.heading("Timings", f": {timings}")
    mark = result.fingerprint
    page.line(
        ("Fingerprint", "bold"),
        f": config {mark.config}, index {mark.index or '–'}, embedding {mark.embedding or '–'}",
        hang=2,
    )
    if result.invocation_id:
        page.line(("Recorded as", "bold"), f": {result.invocation_id}", hang=2)


def _show_hints(result: LookupResult, page: Page) -> None:
    hints = result.l0_hints
    total = hints.matches_total
    page.heading("L0 hints", f": {total} {'match' if total == 1 else 'matches'}")
    for match in hints.matches[:MATCHES]:
        _show_match(match, page)
    _show_rest(total - len(hints.matches[:MATCHES]), page)
    for hit in hints.category_hits:
        page.line(f"{_hit(hit)}: adds a domain", indent=2, hang=2)
    for name, values in (("domains", hints.domains), ("entities", hints.entities)):
        if values:
            page.line(f"{name}: {', '.join(values)}", indent=2, hang=2)
    if hints.near_matches:
        page.line("near matches (they rank, but never route):", indent=2)
    for near in hints.near_matches[:NEAR]:
        page.line(f"{near.score:.2f}  {near.source}: {near.reason}", indent=4, hang=6)
    _show_rest(len(hints.near_matches) - NEAR, page, indent=4)


def _show_match(match: L0Match, page: Page) -> None:
    domains = f"  [{', '.join(match.categories)}]" if match.categories else ""
    page.line((match.source, "cyan"), f"  {match.title}{domains}", indent=2, hang=4)
    for hit in match.hits:
        page.line(_hit(hit), indent=4, hang=2)


def _hit(hit: TermHit) -> str:
    return f"{hit.field} '{hit.term}' at characters {hit.start}-{hit.end} of the query"


def _show_filter(result: LookupResult, page: Page) -> None:
    decision, shadow = result.filter, result.l1.shadow
    if decision.category is not None:
        state = f"category '{decision.category}', from L0"
    else:
        state = "none derived from L0"
    page.heading("Filter", f" ({decision.mode}): {state}")
    page.line(decision.reason, indent=2)
    for condition in decision.conditions:
        page.line(f"caller: {_condition(condition)}", indent=2, hang=2)
    if shadow is not None:
        page.line(
            f"without it: {shadow.candidates} passages, {shadow.outside} of them outside; "
            f"best cosine inside {number(shadow.best_cosine_inside)}, "
            f"outside {number(shadow.best_cosine_outside)}",
            indent=2,
            hang=2,
        )
    if shadow is not None and shadow.best_source_outside is not None:
        page.line(
            f"best note outside: {shadow.best_source_outside}, rank {shadow.best_rank_outside} "
            "without the filter",
            indent=2,
            hang=2,
        )
    if result.relaxed:
        page.line(f"let in past the filter: {result.relaxed}", indent=2)


def _condition(condition: Condition) -> str:
    words = {"eq": "is", "ne": "is not", "in": "is one of", "nin": "is none of"}
    return f"{condition.key} {words[condition.op]} {', '.join(condition.values)}"


def _show_l1(result: LookupResult, page: Page) -> None:
    l1 = result.l1
    asked = "" if l1.attempted else ", not asked"
    page.heading("L1", f": {l1.status} ({l1.mode}{asked}), {len(l1.candidates)} candidates")
    if l1.error is not None:
        page.line(f"{l1.error.message} {l1.error.next_action}".strip(), indent=2)
    if not l1.embedder_fits:
        page.line("The embedder was not trained on the query's script.", indent=2)
    _show_candidates(l1.candidates, page)
    if l1.extra:
        page.line(f"full text for the fallback: {len(l1.extra)} passages", indent=2)
        _show_candidates(l1.extra, page)


def _show_candidates(candidates: tuple[Candidate, ...], page: Page) -> None:
    if not candidates:
        return
    page.line(("cosine    BM25  rank score  passage", "dim"), indent=2)
    for candidate in candidates[:CANDIDATES]:
        relaxed = "  let in past the filter" if candidate.relaxed else ""
        page.line(
            f"{number(candidate.cosine, 6)}  {number(candidate.fulltext_score, 6)}"
            f"  {number(candidate.score, 10)}  {candidate.passage_id}{relaxed}",
            indent=2,
            hang=28,
        )
    _show_rest(len(candidates) - CANDIDATES, page)


def _show_merge(result: LookupResult, page: Page) -> None:
    counts = result.counts
    dropped = sum(counts.dropped.values())
    why = ", ".join(
        f"{value} {_DROPPED.get(reason, reason)}" for reason, value in counts.dropped.items()
    )
    page.heading(
        "Evidence",
        f": {counts.candidate_count} candidates = {counts.evidence_block_count} blocks"
        f" + {counts.merged} merged + {dropped} dropped{f' ({why})' if why else ''}",
    )


def _show_blocks(result: LookupResult, page: Page) -> None:
    for rank, block in enumerate(result.evidence_blocks, 1):
        page.line(
            f"{rank:>2}. ",
            (place(block), "cyan"),
            f"  {block.retrieval_layer}  rank score {number(block.rank_score)}",
            hang=4,
        )
        for reason in block.hit_reasons:
            page.line(f"{reason.layer} {reason.text}", indent=4, hang=3)
        spans = [
            f"{span.line_start}-{span.line_end} ({number(span.score)})"
            for span in block.passages[:PASSAGES]
        ]
        if spans:
            rest = len(block.passages) - PASSAGES
            more = f", and {rest} more" if rest > 0 else ""
            page.line(f"lines (cosine): {', '.join(spans)}{more}", indent=4, hang=2)


def _show_rest(count: int, page: Page, indent: int = 2) -> None:
    if count > 0:
        page.line((f"… and {count} more", "dim"), indent=indent)
