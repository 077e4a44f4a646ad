"""The answer to one query: outcome, relevance, the primary note, and the others in short."""

from retrieval.console.page import Page, Piece
from retrieval.types import ErrorInfo, EvidenceBlock, LookupResult

SNIPPET = 150
_STYLES = {"evidence": "bold green", "fallback": "bold yellow", "no_evidence": "bold yellow"}


def show_result(result: LookupResult, page: Page, *, explain: bool = False) -> None:
    """Write the answer; with `explain` also how it came about."""
    if result.error is not None:
        show_error(result.error, page)
        return
    _show_head(result, page)
    for warning in result.warnings:
        page.line(("Warning: ", "yellow"), _sentence(warning), hang=2)
    if result.primary is not None:
        _show_primary(result.primary, page)
    if result.supplement:
        page.heading("Also")
        for number, block in enumerate(result.supplement, 2):
            _show_short(number, block, page)
    if explain:
        from retrieval.console.explanation import show_explanation

        show_explanation(result, page)


def show_error(error: ErrorInfo, page: Page) -> None:
    """Write what went wrong and what to do about it."""
    page.line(("Error: ", "bold red"), _sentence(error), hang=2)


def place(block: EvidenceBlock) -> str:
    """Source and lines of the best passage, as editors read it, and the other lines shown."""
    if not block.passages:
        return block.source
    best = max(block.passages, key=lambda p: (p.score or 0.0, p.breadcrumb == block.breadcrumb))
    others = [f"{p.line_start}-{p.line_end}" for p in block.passages if p.shown and p != best]
    also = f" (and {', '.join(others)})" if others else ""
    return f"{block.source}:{best.line_start}-{best.line_end}{also}"


def number(value: float | None, width: int = 0, digits: int = 2) -> str:
    """The number, or a dash where there is none."""
    return f"{'–' if value is None else f'{value:.{digits}f}':>{width}}"


def _show_head(result: LookupResult, page: Page) -> None:
    relevance = result.relevance
    count = len(result.evidence_blocks)
    pieces: list[Piece] = [(result.outcome, _STYLES.get(result.outcome, "bold red"))]
    if result.retrieval_layer:
        pieces.append(f" · {result.retrieval_layer}")
    pieces.append(f" · {relevance.level}, confidence {relevance.confidence:.2f}")
    pieces.append(f" · {count} {'note' if count == 1 else 'notes'}")
    page.line(*pieces)
    page.line(relevance.reason)


def _show_primary(block: EvidenceBlock, page: Page) -> None:
    page.heading(block.title)
    page.line((place(block), "cyan"), (_tail(block), "dim"), hang=2)
    if block.breadcrumb:
        page.line((" › ".join(block.breadcrumb), "dim"), hang=2)
    page.blank()
    page.line(block.content.strip("\n"), indent=2)


def _show_short(rank: int, block: EvidenceBlock, page: Page) -> None:
    page.line(f"{rank:>2}. ", (block.title, "bold"), hang=4)
    page.line((place(block), "cyan"), (_tail(block), "dim"), indent=4, hang=2)
    prose = [line for line in block.content.splitlines() if not line.lstrip().startswith("#")]
    snippet = " ".join(" ".join(prose).split())
    if snippet:
        page.line(snippet if len(snippet) <= SNIPPET else f"{snippet[: SNIPPET - 1]}…", indent=4)


def _tail(block: EvidenceBlock) -> str:
    tail = f"  {block.retrieval_layer}"
    if block.score is not None:
        tail += f"  cosine {block.score:.2f}"
    if block.relaxed:
        tail += "  let in past the filter"
    if block.trimmed:
        tail += "  trimmed"
    return tail


def _sentence(info: ErrorInfo) -> str:
    return f"{info.message} {info.next_action}".strip()
