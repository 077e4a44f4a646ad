"""Why a term does not match: each kind, on notes made for it."""

import pytest

from retrieval.hints import L0Index
from retrieval.why.terms import missing_words, nearest_miss
from tests.builders import entry

COMMON = [entry(f"n{n}.md", f"Note {n}", keywords=["gateway", "ip", "the how"]) for n in range(9)]


@pytest.mark.parametrize(
    ("query", "term", "kind"),
    [
        ("where is the gateway now", "gateway", "too_common"),
        ("give me an ip address", "ip", "too_short"),
        ("so the how is known", "the how", "stop_words"),
        ("policy for a refund", "refund policy", "words_apart"),
        ("refunding policies please", "refund policy", "other_form"),
        ("refund for a friend", "refund policy", "words_missing"),
        ("subscripton ends", "subscription", "spelling"),
    ],
)
def test_kinds_of_misses(query: str, term: str, kind: str) -> None:
    own = entry("own.md", "Own", keywords=["refund policy", "subscription", *COMMON[0].keywords])
    l0 = L0Index([*COMMON, own])
    found = nearest_miss(query, own, l0)
    assert found is not None
    assert (found.term, found.kind) == (term, kind)
    assert l0.match(query, lambda e: e.source == "own.md").matches == ()


def test_nothing_is_near() -> None:
    own = entry("own.md", "Own", keywords=["refund"])
    assert nearest_miss("shuttle bus", own, L0Index([own])) is None


def test_missing_words_stand_as_the_query_writes_them() -> None:
    own = entry("own.md", "Refund rules", keywords=["money back"])
    assert missing_words("Refunds for the Chargebacks, chargebacks", own) == ("Chargebacks",)
