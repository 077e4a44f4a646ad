"""What the measured ratios are held to, and how far each got."""

from dataclasses import dataclass
from typing import Literal

from eval_sets.bench.results import Results
from eval_sets.bench.types import Measured, Part

Verdict = Literal["met", "missed", "not judged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A bound on the median of one ratio (or quantity) of one part."""

    part: Part
    key: str
    """In the part's `ratios`."""
    text: str
    bound: float
    at_least: bool = False
    """True when more is better."""
    only: str | None = None
    """The corpus that the bound was set for."""
    least_bytes: int = 0
    """Notes that the ratio has to be measured on at least."""
    obstacle: str = ""
    """What was tried and what stands in the way, for a reader who sees it missed."""

    def describe_bound(self) -> str:
        """Such as `≤ 1.5`."""
        return f"{'≥' if self.at_least else '≤'} {self.bound:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A target beside what was measured."""

    target: Target
    measured: Measured | None
    verdict: Verdict
    why: str | None = None
    """Why it was not judged."""


_LEAST = 2_500_000
_MANY_PARTS = (
    "By a profile no single part stands out: Chroma's request for 100 passages, full text and "
    "fusion, L0, merging and the record take a few milliseconds each."
)

TARGETS = (
    Target(
        part="indexing",
        key="llama-index",
        least_bytes=_LEAST,
        text="Indexing: ours ÷ LlamaIndex + Chroma, characters a second",
        bound=2.5,
        obstacle="Nearly all of the time is the model, whose graph was rewritten as far as that "
        "keeps its vectors. Products of 8 bits were tried: nearly twice as fast, but they reorder "
        "neighbours (retrieval/semantic/README.md).",
        at_least=True,
        only="opensearch",
    ),
    Target(
        part="indexing",
        key="bare",
        least_bytes=_LEAST,
        text="Indexing: ours ÷ a bare loop of the model over the same batches",
        bound=0.9,
        obstacle="The rest is reading and cutting the notes, full text, and storing in Chroma.",
        at_least=True,
    ),
    Target(
        part="reindex",
        key="whole_note",
        text="Re-index of one rewritten note ÷ (3 × embedding its passages + 1 s)",
        bound=1,
    ),
    Target(
        part="reindex",
        key="one_passage",
        text="Re-index of one changed sentence ÷ (3 × embedding its passage + 1 s)",
        bound=1,
    ),
    Target(
        part="lookup",
        key="no_filter",
        text="Lookup with record, less the query's embedding ÷ a bare Chroma query",
        bound=5,
        obstacle=_MANY_PARTS,
    ),
    Target(
        part="lookup",
        key="caller_filter",
        text="Lookup with a caller's filter ÷ the same bare query",
        bound=5,
        obstacle=_MANY_PARTS,
    ),
    Target(
        part="lookup",
        key="derived_filter",
        text="Lookup with a filter from the words ÷ the same bare query",
        bound=5,
        obstacle="Such a lookup asks twice, with the filter and without, and scores both by words; "
        "the answer needs the second to say what the filter cost.",
    ),
    Target(
        part="l0",
        key="constant_matches",
        text="L0 on 100,000 entries ÷ on 1,000",
        bound=1.5,
        obstacle="It is half a millisecond. Each heading is now compared by itself, which adds to "
        "the words to look through; where the time goes was not examined since.",
    ),
    Target(
        part="scale", key="peak_gb", text="Peak memory at 100,000 passages, 10^9 bytes", bound=1.2
    ),
    Target(
        part="cold",
        key="first_lookup",
        text="First lookup of a new process ÷ bare imports of Chroma's store and onnxruntime",
        bound=1.5,
        obstacle="Beside the imports it opens the model, the index and the records, and embeds the "
        "query.",
    ),
)


def judge(results: Results) -> tuple[Outcome, ...]:
    """Every target with its median, in the order of `TARGETS`."""
    return tuple(_judge(target, results) for target in TARGETS)


def _judge(target: Target, results: Results) -> Outcome:
    section = results.parts.get(target.part)
    measured = (section.found.get("ratios") or {}).get(target.key) if section else None
    if section is None or measured is None:
        why = section.found.get("skipped") if section else None
        return Outcome(
            target=target, measured=None, verdict="not judged", why=why or "not measured"
        )
    corpus = section.found.get("corpus", {})
    if target.only and corpus["name"] != target.only:
        why = f"set for {target.only}, measured on {corpus['name']}"
    elif target.least_bytes and corpus["bytes"] < target.least_bytes:
        why = f"{corpus['bytes'] / 1e6:.1f} MB of notes are too few"
    elif section.plan.get("quick"):
        why = "small sizes"
    else:
        why = None
    reached = (
        measured["median"] >= target.bound
        if target.at_least
        else measured["median"] <= target.bound
    )
    return Outcome(
        target=target,
        measured=measured,
        verdict="not judged" if why else "met" if reached else "missed",
        why=why,
    )
