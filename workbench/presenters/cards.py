"""Evidence blocks as cards: what was found, where, why, and the text with the query's words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from retrieval.types import EvidenceBlock, HitReason
from workbench.presenters.markup import chip, clip, highlight, joined, tag
from workbench.presenters.numbers import decimal
from workbench.presenters.words import text_spans

PASSAGES_SHOWN = 6
SNIPPET = 220
_LAYERS = {"L0+L1": "accent", "L1": "accent", "L0": ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One block, ready to be drawn."""

    source: str
    title: str
    html: Markup


def present_cards(blocks: Sequence[EvidenceBlock], query: str) -> Iterator[Card]:
    """A card for each block, in the answer's order, made when it is asked for."""
    for rank, block in enumerate(blocks, 1):
        yield Card(source=block.source, title=block.title, html=_card(rank, block, query))


def _card(rank: int, block: EvidenceBlock, query: str) -> Markup:
    css = "kw-text primary" if rank == 1 else "kw-text"
    return tag(
        "article",
        card_head(rank, block),
        _place(block),
        tag("div", joined([reason_chip(reason) for reason in block.hit_reasons])),
        tag("div", _content(block, query), css=css),
        css="kw-card",
    )


def card_head(rank: int, block: EvidenceBlock) -> Markup:
    """Rank, title, layer and score of a block."""
    marks = [chip(block.retrieval_layer, tone=_LAYERS[block.retrieval_layer])]
    if block.relaxed:
        marks.append(
            chip(
                "past the filter", tone="warn", title="outside the derived category, nearly as good"
            )
        )
    if block.trimmed:
        marks.append(chip("trimmed", tone="warn", title="cut to fit the budget"))
    score = tag(
        "span",
        decimal(block.score),
        css="kw-score",
        title=f"cosine of the best passage; rank score {decimal(block.rank_score, 3)}",
    )
    return tag(
        "header",
        tag("span", str(rank), css="kw-rank"),
        tag("h3", block.title),
        tag("span", *marks, css="kw-marks"),
        score,
    )


def snippet(block: EvidenceBlock, query: str) -> Markup:
    """The start of the block's content on one line, with the query's words."""
    text = clip(" ".join(block.content.split()), SNIPPET)
    return highlight(text, text_spans(text, query, block))


def reason_chip(reason: HitReason) -> Markup:
    """A reason in a few words; the whole sentence shows when it is pointed at."""
    if reason.kind == "semantic":
        short = f"meaning {decimal(reason.score)}" + (f" · #{reason.rank}" if reason.rank else "")
    elif reason.kind == "fulltext":
        short = f"full text {decimal(reason.score, 1)}" + (
            f" · #{reason.rank}" if reason.rank else ""
        )
    elif reason.kind == "near":
        short = "near match"
    else:
        short = f"{reason.kind} \u2018{clip(reason.term or '', 40)}\u2019"
    tone = "" if reason.layer == "L0" else "accent"
    return chip(short, tone=tone, title=f"{reason.layer}: {reason.text}")


def _place(block: EvidenceBlock) -> Markup:
    """Source, headings, and the lines of each matched passage with its cosine."""
    path = [part for part in block.breadcrumb if part != block.title]
    spans = [
        f"{p.line_start}–{p.line_end}" + ("" if p.score is None else f" ({decimal(p.score)})")
        for p in block.passages[:PASSAGES_SHOWN]
    ]
    if len(block.passages) > PASSAGES_SHOWN:
        spans.append("…")
    parts = [tag("code", block.source)]
    if path:
        parts.append(tag("span", " › ".join(path)))
    if spans:
        parts.append(tag("span", f"lines {', '.join(spans)}", css="kw-number"))
    return tag("div", joined(parts), css="kw-place")


def _content(block: EvidenceBlock, query: str) -> Markup:
    return highlight(block.content, text_spans(block.content, query, block))
