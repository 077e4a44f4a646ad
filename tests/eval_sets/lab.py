"""A small labelled set on real notes, with a bag-of-words embedder."""

from pathlib import Path
from typing import Any

from eval_sets.loading import load_set
from eval_sets.types import EvalSet
from retrieval.knowledge_base import KnowledgeBase
from tests.eval_sets.samples import write_set
from tests.notes import NOTES

MODEL = "hash:512"
REFUND, CHARGEBACK = "billing/refund.md", "billing/chargeback.md"
WIFI, VPN = "network/wifi.md", "network/vpn.md"
BADGE, SHUTTLE = "access/badge.md", "travel/shuttle.md"


def _line(
    name: str, query: str, stratum: str, relevant: dict[str, int], **more: Any
) -> dict[str, Any]:
    split = "dev" if name.endswith("1") else "test"
    line = {"id": name, "query": query, "stratum": stratum, "split": split}
    return {**line, "relevant": relevant, **more}


LINES = (
    _line("exact-1", "money back", "exact", {REFUND: 3}, expected_category="billing"),
    _line("exact-2", "is there a guest network", "exact", {WIFI: 3}, expect_filter="applied"),
    _line("words-1", "disputes a payment with the bank", "words", {CHARGEBACK: 3}),
    _line("words-2", "a new one costs ten euros", "words", {BADGE: 3, REFUND: 1}),
    _line("words-3", "twelve hours without traffic", "words", {VPN: 2}, exclude=[WIFI]),
    _line(
        "trap-1",
        "shuttle visitors join with a code from the reception valid for one day",
        "trap",
        {WIFI: 3},
        expected_category="network",
    ),
    _line(
        "trap-2",
        "may the shuttle wait when a lost badge costs ten euros at reception",
        "trap",
        {BADGE: 3, SHUTTLE: 1},
    ),
    _line("none-1", "penguins of the southern ocean", "none", {}, expect_no_answer=True),
    _line("none-2", "how tall are giraffes", "none", {}, expect_no_answer=True),
    _line("open-1", "what about elevators", "open", {}),
)


def labelled(folder: Path, **notes: str) -> EvalSet:
    """The set on disk; `notes` change or add sources."""
    return load_set(write_set(folder, LINES, about="name: lab\n", notes={**NOTES, **notes}))


def indexed(eval_set: EvalSet, state_dir: Path, **settings: Any) -> KnowledgeBase:
    """Its knowledge base with an up-to-date index."""
    given = {"state_dir": state_dir, "embedding": {"model": MODEL}, **settings}
    base = KnowledgeBase.open(eval_set.knowledge_base, given)
    base.reindex()
    return base
