"""Synthetic notes with as many passages as wanted, and queries that they answer."""

import random
from pathlib import Path

_TEXT = (
    "account invoice refund ledger quarter vendor contract renewal seat badge reception visitor "
    "tunnel router cable gateway packet certificate rotation secret token cluster region backup "
    "restore snapshot migration schema column index query report export schedule holiday shift "
    "escalation ticket priority customer onboarding device tablet battery docking monitor keyboard "
    "printer warehouse pallet forklift shuttle parking canteen budget forecast audit retention"
)
WORDS = _TEXT.split()
PASSAGES_A_NOTE = 10
CATEGORIES = 20


def write_corpus(root: Path, passages: int, seed: int = 7) -> list[str]:
    """Writes notes that are cut into just so many passages (a multiple of ten); some queries."""
    chance = random.Random(seed)
    queries = []
    for number in range(passages // PASSAGES_A_NOTE):
        category = f"area{number % CATEGORIES}"
        subject = " ".join(chance.sample(WORDS, 2))
        parts = [
            f"## Step {n} of {chance.choice(WORDS)}\n\n{_sentences(chance)}\n"
            for n in range(1, PASSAGES_A_NOTE)
        ]
        head = f"---\ntitle: {subject} {number}\nkeywords: [{subject}]\ncategory: {category}\n---\n"
        path = root / category / f"note{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{head}{_sentences(chance)}\n\n" + "\n".join(parts), encoding="utf-8")
        if number % 10 == 0:
            queries.append(f"How does the {subject} work with the {chance.choice(WORDS)}?")
    return queries


def sentences(number: int, seed: int = 5) -> list[str]:
    """So many short paragraphs in the words of the notes."""
    chance = random.Random(seed)
    return [_sentences(chance) for _ in range(number)]


def _sentences(chance: random.Random) -> str:
    return " ".join(
        " ".join(chance.choices(WORDS, k=9)).capitalize() + "." for _ in range(chance.randint(3, 6))
    )
