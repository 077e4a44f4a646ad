"""Keeping the serialised answer inside a budget of tokens, by trimming blocks around their matches.

A token is estimated as four characters of the JSON text, one for each character that is not ASCII:
within a fifth of common tokenisers on English prose, on the safe side for others.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from retrieval.serialize import result_to_dict
from retrieval.text import content_words, stem, tokens
from retrieval.types import Counts, ErrorInfo, EvidenceBlock, L0Hints, LookupResult

LEAST_CONTENT = 120
"""Characters that a trimmed block keeps at least, as long as the budget allows the block at all."""
RESERVE = 100
"""Tokens kept free for what is added after the lookup: the invocation's id, late warnings."""
ELLIPSIS = "…"


def estimate_tokens(text: str) -> int:
    """The documented estimate of the number of tokens of a text."""
    wide = sum(not char.isascii() for char in text)
    return ceil((len(text) - wide) / 4) + wide


def answer_tokens(result: LookupResult) -> int:
    """The estimate for the serialised answer."""
    return estimate_tokens(json.dumps(result_to_dict(result), ensure_ascii=False))


def fit_budget(result: LookupResult, budget: int) -> LookupResult:
    """The result within `budget` tokens: near matches go first, then blocks are trimmed evenly
    around their matches, then the last blocks are dropped and counted as `budget`.

    A warning tells when even the primary's bare frame is larger than the budget.
    """
    asked, budget = budget, budget - RESERVE
    if answer_tokens(result) <= budget:
        return result
    hints = replace(result.l0_hints, near_matches=(), matches=result.l0_hints.matches[:10])
    fitted = replace(result, l0_hints=hints)
    contents = [len(block.content) for block in result.evidence_blocks]
    low, high = LEAST_CONTENT, max(contents, default=LEAST_CONTENT)
    while fitted.evidence_blocks and answer_tokens(_trimmed(fitted, LEAST_CONTENT)) > budget:
        if len(fitted.evidence_blocks) == 1:
            return _warn(_trimmed(fitted, LEAST_CONTENT), asked)
        fitted = _drop_last(fitted)
    while low < high:  # the longest content that still fits
        middle = (low + high + 1) // 2
        if answer_tokens(_trimmed(fitted, middle)) <= budget:
            low = middle
        else:
            high = middle - 1
    return _trimmed(fitted, low)


def trim_content(content: str, limit: int, query: str, hints: L0Hints | None = None) -> str:
    """At most `limit` characters of the content, the stretch that holds most of the query's words.

    Cut at blanks where there are any; an ellipsis marks each cut.
    """
    if len(content) <= limit:
        return content
    wanted = set(content_words(query))
    for keyword in hints.keywords if hints else ():
        wanted.update(content_words(keyword))
    spots = [t.start for t in tokens(content) if stem(t.text) in wanted]
    room = limit - 2 * len(ELLIPSIS)
    start = _densest(spots, room, len(content))
    end = min(start + room, len(content))
    if start > 0:
        blank = content.find(" ", start, start + room // 4)
        start = blank + 1 if blank >= 0 else start
    if end < len(content):
        blank = content.rfind(" ", end - room // 4, end)
        end = blank if blank > start else end
    head = ELLIPSIS if start > 0 else ""
    tail = ELLIPSIS if end < len(content) else ""
    return head + content[start:end] + tail


def _densest(spots: Sequence[int], room: int, length: int) -> int:
    """Where the window with most spots starts, with a little text before its first spot."""
    if not spots or (spots[0] < room // 2 and spots[-1] < room):
        return 0
    best, best_count, right = spots[0], 0, 0
    for left, spot in enumerate(spots):
        while right < len(spots) and spots[right] < spot + room * 3 // 4:
            right += 1
        if right - left > best_count:
            best, best_count = spot, right - left
    return max(0, min(best - room // 8, length - room))


def _trimmed(result: LookupResult, limit: int) -> LookupResult:
    blocks = tuple(
        _trim(block, limit, result.query, result.l0_hints) for block in result.evidence_blocks
    )
    return replace(result, evidence_blocks=blocks)


def _trim(block: EvidenceBlock, limit: int, query: str, hints: L0Hints) -> EvidenceBlock:
    if len(block.content) <= limit:
        return block
    return replace(block, content=trim_content(block.content, limit, query, hints), trimmed=True)


def _drop_last(result: LookupResult) -> LookupResult:
    counts = result.counts
    dropped = dict(counts.dropped)
    dropped["budget"] = dropped.get("budget", 0) + 1
    fewer = Counts(
        candidate_count=counts.candidate_count,
        merged=counts.merged,
        dropped=dropped,
        evidence_block_count=counts.evidence_block_count - 1,
    )
    return replace(result, evidence_blocks=result.evidence_blocks[:-1], counts=fewer)


def _warn(result: LookupResult, budget: int) -> LookupResult:
    warning = ErrorInfo(
        code="budget_exceeded",
        message=f"Even one trimmed block takes more than the budget of {budget} tokens.",
        next_action="Raise the budget.",
    )
    return replace(result, warnings=(*result.warnings, warning))
