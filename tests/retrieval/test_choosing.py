from dataclasses import replace

from retrieval.choosing import choose_passage
from tests.builders import passage

RARITIES = {"refund": 2.0, "card": 1.0}


def chosen(*passages) -> int | None:
    found = choose_passage(passages, RARITIES, lambda word: RARITIES.get(word, 3.0))
    return found and found.ordinal


def section(ordinal: int, text: str, heading: str = "Other"):
    return replace(passage("a.md", ordinal, text), breadcrumb=("Note", heading))


def test_the_rare_word_decides_before_the_common_one() -> None:
    assert chosen(section(0, "a card, any card"), section(1, "one refund here")) == 1


def test_a_heading_made_of_the_words_decides() -> None:
    mentions = section(0, "Of a refund to a card we speak elsewhere.")
    assert chosen(mentions, section(1, "Ten days.", "Refund to a card")) == 1
    assert chosen(mentions, section(1, "Ten days.", "Opening hours")) == 0


def test_of_two_that_hold_the_words_the_dense_one_is_chosen() -> None:
    padded = "refund " + "and something else that nobody asked for " * 20
    assert chosen(section(0, padded), section(1, "refund " + "and so on " * 9)) == 1


def test_without_any_shared_word_it_is_the_first() -> None:
    assert chosen(section(0, "nothing"), section(1, "nothing")) == 0
    assert chosen() is None
    assert choose_passage([section(3, "text")], {}, lambda _: 1.0) is not None
